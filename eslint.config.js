import js from "@eslint/js";
import { defineConfig, globalIgnores } from "eslint/config";
import globals from "globals";

export default defineConfig(
  globalIgnores([".*/", "simulator_console/", "typings/"]),
  js.configs.recommended,
  {
    linterOptions: { reportUnusedDisableDirectives: "error" },
    rules: {
      "array-callback-return": "error",
      eqeqeq: "error",
      "no-constructor-return": "error",
      "no-self-compare": "error",
      "no-shadow": "error",
      "no-template-curly-in-string": "error",
      "no-throw-literal": "error",
      "no-unmodified-loop-condition": "error",
      "no-unreachable-loop": "error",
      "no-unused-expressions": ["error", { allowShortCircuit: true }],
      "no-var": "error",
      "prefer-const": "error",
    },
  },
  { files: ["custom_components/**"], languageOptions: { globals: globals.browser } },
  { files: ["tests/**", "*.js"], languageOptions: { globals: globals.node } },
  // Not clean yet
  {
    files: ["custom_components/*/dashboard/www/{charts,log_card,main,view}.js"],
    rules: { "no-shadow": "off", "no-unused-vars": "off" },
  },
);
