import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { type Api, unwrap } from '../../api/client.js';
import { toApiFailure } from '../../api/failure.js';
import { retryWhenBusy } from '../../data/retry-when-busy.js';
import { useApi } from '../../session/session-context.js';

/** The result for one delivery. */
export type ResendResult = {
  /** Why the delivery could not be resent; null after a success. */
  problem: string | null;
};

export type Resends = {
  results: ReadonlyMap<string, ResendResult>;
  isRunning: boolean;
  /** Why the run stopped early, unless the user stopped it. A stopped run can be continued. */
  interruption: string | undefined;
  start: (ids: readonly string[]) => void;
  stop: () => void;
};

/** The first keys of the queries that contain deliveries. */
const deliveryQueryKeys = ['deliveries', 'delivery', 'message'];

/** Resends deliveries one after another. It leaves out those that have a result, so a stopped run can be continued. */
export function useResends(): Resends {
  const api = useApi();
  const queries = useQueryClient();
  const controller = useRef<AbortController>(null);
  const [results, setResults] = useState<ReadonlyMap<string, ResendResult>>(new Map());
  const [isRunning, setRunning] = useState(false);
  const [interruption, setInterruption] = useState<string>();
  useEffect(() => () => controller.current?.abort(), []);

  const run = async (ids: readonly string[]) => {
    const { signal } = (controller.current = new AbortController());
    setRunning(true);
    setInterruption(undefined);
    for (const id of ids.filter((each) => !results.has(each))) {
      const result = await resendOne(api, id, signal);
      if ('interruption' in result) {
        setInterruption(result.interruption);
        break;
      }
      setResults((current) => new Map(current).set(id, result));
      if (signal.aborted) break;
    }
    setRunning(false);
    await Promise.all(deliveryQueryKeys.map((name) => queries.invalidateQueries({ queryKey: [name] })));
  };
  return {
    results,
    isRunning,
    interruption,
    start: (ids) => void run(ids),
    stop: () => controller.current?.abort(),
  };
}

async function resendOne(
  api: Api,
  id: string,
  signal: AbortSignal,
): Promise<ResendResult | { interruption: string | undefined }> {
  const params = { path: { id } };
  try {
    // Only the waits are aborted: a request may have reached the API.
    await retryWhenBusy(() => unwrap(api.POST('/developer/deliveries/{id}/resend', { params })), signal);
    return { problem: null };
  } catch (error) {
    if (signal.aborted) return { interruption: undefined };
    const { kind, message } = toApiFailure(error);
    return kind === 'offline' || kind === 'session' ? { interruption: message } : { problem: message };
  }
}
