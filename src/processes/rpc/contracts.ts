import type { BusMessage } from '../../infrastructure/change-bus/bus';
import type { Dimension } from '../../click-engine/dimensions';
import type { Asking, Metric, Source, StatisticsQuery } from '../../click-engine/statistics-query';
import type {
  BreakdownPage,
  OpenedResult,
  StatisticsReport,
  StatisticsResult,
  WithRange,
} from '../../click-engine/statistics-result';
import type {
  WindowRule,
  WindowVerdict,
} from '../../infrastructure/rate-limit-store/rate-limit-store';
import type {
  JournalMetrics,
  MachineMetrics,
  MetricFamily,
  StatisticsMetrics,
} from '../../metrics/metrics';
import type { QrContent } from '../../qr/drawing/qr-matrix';
import type { QrLook } from '../../qr/drawing/qr-look';

// Everything that the processes of this service, and their threads, ask of each other, by topic.
// Bodies are JSON values between processes, and whatever can be cloned between threads. All processes run the same release: nothing here has to be compatible with another one.

/** A window of a rate limit, as a worker names it to the primary. */
interface LimitedKey {
  readonly key: string;
  readonly rules: readonly WindowRule[];
}

/** What web processes ask of the primary. */
export interface PrimaryCalls extends RelayedStatisticsCalls {
  /** A worker makes itself known; from then on the primary tells it of changes. */
  hello: { request: null; response: undefined };
  /** Passes a change on to all other workers; answers how many did not take note of it. */
  'bus.publish': { request: BusMessage; response: number };
  /** Has the recorder record every click that is journalled. */
  'journal.catch-up': { request: null; response: undefined };
  'rate-limits.take': { request: LimitedKey; response: WindowVerdict };
  'rate-limits.give-back': {
    request: LimitedKey & { readonly verdict: WindowVerdict };
    response: undefined;
  };
  /** The metrics of the whole machine; the asking process brings its own along. */
  'metrics.machine': { request: MetricFamily[]; response: MachineMetrics };
}

/** What the primary asks of web processes. */
export interface WebCalls {
  'bus.deliver': { request: BusMessage; response: undefined };
  /** Undefined while the worker is only starting. */
  'metrics.web': { request: null; response: MetricFamily[] | undefined };
}

/** What the primary asks of the recorder. */
export interface RecorderCalls {
  /** Records what is journalled, as far as the time goes. */
  drain: { request: { readonly timeoutMs: number }; response: undefined };
  status: { request: null; response: JournalMetrics };
}

/** A question that is to be counted, under a name by which it can be cancelled. */
interface StatisticsQuestion {
  readonly call: string;
  readonly source: Source;
  readonly query: StatisticsQuery;
  readonly asking: Asking;
}

/** What web processes ask of the statistics process, through the primary. */
export interface StatisticsCalls {
  /** A result with at most `rows` rows a breakdown, all of them when it is null. */
  count: {
    request: StatisticsQuestion & { readonly rows: number | null };
    response: WithRange<StatisticsResult>;
  };
  /** The same with its lists written as JSON. */
  report: {
    request: StatisticsQuestion & { readonly rows: number; readonly metrics: readonly Metric[] };
    response: WithRange<StatisticsReport>;
  };
  /** An uncut result, held for `rows` calls until it is released. */
  open: { request: StatisticsQuestion; response: OpenedResult };
  rows: CountingCalls['rows'];
  release: CountingCalls['release'];
  /** Nobody waits for that call any more. */
  cancel: { request: { readonly call: string }; response: undefined };
  status: { request: null; response: StatisticsMetrics };
}

/** The same calls as web processes name them to the primary, which passes them on. */
type RelayedStatisticsCalls = {
  [T in Exclude<keyof StatisticsCalls, 'status'> as `statistics.${T}`]: StatisticsCalls[T];
};

/** Set in shared memory when nobody waits any more: a message would wait for the counting to end. */
interface Cancellable {
  readonly cancelled: Int32Array;
}

/** What the statistics process asks of the thread in it that counts. */
export interface CountingCalls {
  /** A result with at most `rows` rows a breakdown. */
  count: {
    request: Cancellable & {
      readonly source: Source;
      readonly query: StatisticsQuery;
      readonly rows: number;
    };
    response: StatisticsResult;
  };
  report: {
    request: CountingCalls['count']['request'] & { readonly metrics: readonly Metric[] };
    response: StatisticsReport;
  };
  /** An uncut result, held for `rows` calls until it is released. */
  open: {
    request: Cancellable & { readonly source: Source; readonly query: StatisticsQuery };
    response: OpenedResult;
  };
  /** Never more than one page, so that no message is large. */
  rows: {
    request: {
      readonly cursorId: number;
      readonly dimension: Dimension;
      readonly from: number;
      readonly count: number;
    };
    response: BreakdownPage;
  };
  release: { request: { readonly cursorId: number }; response: undefined };
  /** Memory of the clicks that are held for further questions. */
  heldBytes: { request: null; response: number };
  /** Saves these clicks for the process that comes after this one. */
  save: { request: null; response: undefined };
}

/** What a web process asks of the thread that draws QR codes. */
export interface QrCalls {
  draw: {
    request: {
      readonly format: 'png' | 'svg';
      readonly content: QrContent;
      readonly look: QrLook;
      /** A PNG that `logo` has answered; null without one. */
      readonly logo: Uint8Array | null;
    };
    response: Uint8Array;
  };
  /** Encodes an uploaded PNG anew; RpcFailure `logo` for one that cannot be used. */
  logo: { request: Uint8Array; response: { png: Uint8Array; width: number; height: number } };
}
