/** Limits of the server. A test compares them with those in Python. */

/** The largest number of entries in an answer of `log/list`. */
export const LARGEST_PAGE = 1000;
/** The most characters of a tag and of a note. */
export const LONGEST_TAG = 50;
export const LONGEST_NOTE = 1000;
