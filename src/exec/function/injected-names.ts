/**
 * Names that tools write into a function's text: helpers of compilers, counters of coverage tools, imports as bundlers
 * rewrite them. A user who meets one in an error has never typed it, so each is explained, with what to change. The
 * patterns are those of vite/vitest, istanbul, Stryker, webpack, esbuild, TypeScript (tslib), Babel and SWC.
 */

const IMPORT = 'imports are not visible to a shipped function';
const HELPER = 'let the compiler target ES2022 or later, so that it emits no helper functions';

const INJECTED: readonly { readonly pattern: RegExp; readonly explanation: string }[] = [
  {
    pattern: /^__vite_ssr_|^__vi_(?:import|esm|export)/,
    explanation: `stands for an import or export of this file, as vite and vitest rewrite it: ${IMPORT}`,
  },
  {
    pattern: /__WEBPACK_|^__webpack_/,
    explanation: `stands for an import, as webpack rewrites it: ${IMPORT}`,
  },
  {
    pattern: /^import_\w+$/,
    explanation: `looks like an import, as esbuild's CommonJS output writes it: ${IMPORT}`,
  },
  {
    pattern: /^cov_[0-9a-z]+$/,
    explanation: `is a counter that the istanbul coverage tool writes into functions; use V8 coverage (provider 'v8', c8)`,
  },
  {
    pattern: /^stry(?:MutAct|Cov|NS)_/,
    explanation:
      'is a switch that the Stryker mutation tester writes into functions; exclude this file from it',
  },
  {
    pattern:
      /^tslib(?:_\d+)?$|^__(?:extends|assign|rest|decorate|param|metadata|awaiter|generator|values|read|spread(?:Arrays?)?|await|async(?:Generator|Delegator|Values)|makeTemplateObject|import(?:Star|Default)|exportStar|createBinding|classPrivateField(?:Get|Set|In)|esDecorate|runInitializers|propKey|setFunctionName|addDisposableResource|disposeResources)$/,
    explanation: `is a helper that TypeScript emits for older targets; ${HELPER}`,
  },
  {
    pattern:
      /^__(?:publicField|private(?:Add|Get|Set|In|Method|Wrapper)|accessCheck|spread(?:Values|Props)|objRest|async|forAwait|yieldStar|pow|template|using|callDispose|superGet|superSet|superWrapper|toESM|toCommonJS|commonJS|esm|export|reExport|require|decorate(?:Class|Element|Param)|runInitializers)$/,
    explanation: `is a helper that esbuild emits; ${HELPER}`,
  },
  {
    pattern:
      /^_(?:interop|class_?[cC]all_?[cC]heck|create_?[cC]lass|define_?[pP]ropert|object_?([sS]pread|[wW]ithout)|to_?[cC]onsumable|to_?[aA]rray|sliced_?[tT]o|async_?[tT]o_?[gG]enerator|(?:wrap)?[rR]egenerator|extends$|inherits|call_?[sS]uper|possible_?[cC]onstructor|get_?[pP]rototype|tagged_?[tT]emplate|class_?[pP]rivate|create_?[fF]or_?[oO]f|type_?of$|instanceof$)/,
    explanation: `is a helper that Babel or SWC emits; ${HELPER}`,
  },
  {
    pattern: /^\w+_\d+$/,
    explanation: `may be an import, as TypeScript's CommonJS output writes it (${IMPORT})`,
  },
];

/** What tool writes this name and what to change, to follow "`name` "; undefined for a name that looks like the user's. */
export function explainInjectedName(name: string): string | undefined {
  return INJECTED.find(({ pattern }) => pattern.test(name))?.explanation;
}
