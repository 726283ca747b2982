import { randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import type {
  BreakdownPage,
  Dimension,
  Metric,
  OpenedResult,
  StatisticsReport,
  StatisticsResult,
  WithRange,
} from '../../engines/click-engine/query/statistics-query';
import { ChangeBus } from '../../infrastructure/change-bus/bus';
import { PrimaryClient } from '../../processes/rpc/primary-client';
import { RpcError, type RpcRequest, type RpcResponse, type Topic } from '../../processes/rpc/rpc';
import {
  type StatisticsCalls,
  StatisticsEngine,
  type StatisticsQuestion,
} from '../engine/statistics-engine';
import {
  StatisticsAbandonedError,
  StatisticsBusyError,
  StatisticsFailedError,
  StatisticsUnavailableError,
} from './statistics.errors';

type CallTopic = Exclude<Topic<StatisticsCalls>, 'status'>;
type Countable = 'count' | 'report' | 'open';

/**
 * Time limit for a call. It is longer than any wait and query, so only a process that hangs exceeds
 * it.
 */
const STATISTICS_CALL_MS = 120_000;

const MAX_KNOWN_DELETIONS = 1000;

/** Client for the statistics process, which the primary starts on the first query. */
@Injectable()
export class ProcessStatisticsEngine extends StatisticsEngine {
  /** Prefix that makes call ids unique across web processes. */
  private readonly name = randomBytes(9).toString('base64url');
  private calls = 0;

  /** Number of deletions of clicks, by account. Earlier queries must not share their results. */
  private readonly deletions = new LRUCache<string, number>({ max: MAX_KNOWN_DELETIONS });

  constructor(
    private readonly primary: PrimaryClient,
    bus: ChangeBus,
  ) {
    super();
    bus.subscribe('clicks.deleted', (message) => {
      const ownerId = message as string;
      this.deletions.set(ownerId, (this.deletions.get(ownerId) ?? 0) + 1);
    });
  }

  count(question: StatisticsQuestion, rows: number): Promise<WithRange<StatisticsResult>> {
    return this.ask('count', question, { rows });
  }

  report(
    question: StatisticsQuestion,
    lists: { readonly rows: number; readonly metrics: readonly Metric[] },
  ): Promise<WithRange<StatisticsReport>> {
    return this.ask('report', question, lists);
  }

  open(question: StatisticsQuestion): Promise<OpenedResult> {
    return this.ask('open', question, {});
  }

  rows(
    cursorId: number,
    dimension: Dimension,
    from: number,
    count: number,
  ): Promise<BreakdownPage> {
    return this.call('rows', { cursorId, dimension, from, count });
  }

  async release(cursorId: number): Promise<void> {
    await this.call('release', { cursorId }).catch(() => undefined);
  }

  /** Cancels the query and rejects when the signal is aborted. */
  private async ask<T extends Countable>(
    topic: T,
    { source, query, client, requestKey: known, clicks, isPublic }: StatisticsQuestion,
    extras: object,
  ): Promise<RpcResponse<StatisticsCalls, T>> {
    const { key, signal } = client;
    if (signal?.aborted === true) throw new StatisticsAbandonedError();
    this.calls += 1;
    const call = `${this.name}.${this.calls}`;
    const deletions = 'ownerId' in source ? this.deletions.get(source.ownerId) : undefined;
    const requestKey = known && deletions ? `${this.name} ${deletions} ${known}` : known;
    const question = { call, source, query, client: key, requestKey, clicks, isPublic };
    const answer = this.call(topic, { ...question, ...extras } as RpcRequest<StatisticsCalls, T>);
    let leave: (() => void) | undefined;
    const left = new Promise<never>((_, reject) => {
      leave = () => {
        this.call('cancel', { call }).catch(() => undefined);
        // Releases the result, because it may have been opened before the cancellation arrived.
        answer.then(
          (result) => {
            if (topic === 'open') void this.release((result as OpenedResult).cursorId);
          },
          () => undefined,
        );
        reject(new StatisticsAbandonedError());
      };
      signal?.addEventListener('abort', leave, { once: true });
    });
    try {
      return await Promise.race([answer, left]);
    } finally {
      if (leave !== undefined) signal?.removeEventListener('abort', leave);
    }
  }

  private async call<T extends CallTopic>(
    topic: T,
    request: RpcRequest<StatisticsCalls, T>,
  ): Promise<RpcResponse<StatisticsCalls, T>> {
    try {
      const result = await this.primary.call(
        `statistics.${topic}`,
        request as never,
        STATISTICS_CALL_MS,
      );
      return result as RpcResponse<StatisticsCalls, T>;
    } catch (error) {
      throw error instanceof RpcError ? unanswered(error) : error;
    }
  }
}

/** Maps transport errors. Errors from the statistics process stay unchanged. */
function unanswered(error: RpcError): Error {
  if (error.kind === 'timeout') return new StatisticsBusyError();
  if (error.kind === 'gone') return new StatisticsUnavailableError(error);
  return new StatisticsFailedError(error);
}
