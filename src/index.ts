/** The only door: what Rejoin gives. Filters have a door of their own, `rejoin/filters`. */
export { Context, createContext, type ContextMetrics } from './rdd/context.js';
export { Rdd, RecursiveRdd, type TransitiveClosureOptions } from './rdd/rdd.js';
export type { ActionOptions } from './rdd/actions.js';
export type { EdgesOptions, TextBytes } from './rdd/sources.js';
export {
  fromModule,
  type Environment,
  type ModuleFunction,
  type Shippable,
} from './exec/function/module-function.js';
export { hashPartitioner, type Partitioner } from './plan/partitioner.js';
export type {
  ClosureOptions,
  ContextOptions,
  ContextSettings,
  Direction,
  FilterKind,
  Strategy,
} from './options.js';
export { DIRECTIONS, FILTER_KINDS, STRATEGIES } from './options.js';
export type {
  ExchangeFigures,
  PartialRunReport,
  ReportTotals,
  RoundReport,
  RunReport,
} from './recursion/report.js';
export { predict, predictRounds } from './recursion/cost-model/predict.js';
export type { ClosurePlan, PredictedFigures, Prediction } from './recursion/cost-model/prediction.js';
export type { Estimate } from './recursion/cost-model/estimate.js';
export type { ClosureStatistics, ReachSample } from './recursion/cost-model/statistics.js';
export type { ClosureStatisticsOptions } from './rdd/closure-statistics.js';
export type { EdgeListNotes, EdgeListOptions } from './io/edge-list.js';
export {
  FormatError,
  FunctionError,
  InputError,
  LimitError,
  MemoryBudgetError,
  OptionError,
  RejoinError,
  StateError,
  TaskLostError,
  UserFunctionError,
  ValueError,
} from './errors.js';
