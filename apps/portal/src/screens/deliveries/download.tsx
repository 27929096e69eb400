import { useEffect, useRef, useState } from 'react';
import { type Api, unwrap } from '../../api/client.js';
import { toApiFailure } from '../../api/failure.js';
import type { Delivery } from '../../api/schemas.js';
import { retryWhenBusy } from '../../data/retry-when-busy.js';
import { usePreferences } from '../../session/preferences.js';
import { useApi } from '../../session/session-context.js';
import { maskNumber } from '../../text/mask.js';
import { exportFile, type Format, saveFile } from './export-files.js';

/** The maximum number of rows. More would take long to fetch and use much memory. */
export const maxRows = 10_000;
const perPage = 100;

export type DownloadState =
  | { name: 'idle' }
  | { name: 'running'; count: number }
  | { name: 'done'; count: number; isTruncated: boolean }
  | { name: 'failed'; message: string };

/** Fetches all pages of the list, up to `maxRows` rows, and saves them as a file. */
export function useDownload(query: Record<string, string>) {
  const api = useApi();
  const { isMasked } = usePreferences();
  const controller = useRef<AbortController>(null);
  const [state, setState] = useState<DownloadState>({ name: 'idle' });
  useEffect(() => () => controller.current?.abort(), []);

  const run = async (format: Format) => {
    const { signal } = (controller.current = new AbortController());
    setState({ name: 'running', count: 0 });
    try {
      const onCount = (count: number) => setState({ name: 'running', count });
      const { rows, isTruncated } = await fetchAll(api, { query, signal, onCount });
      const shown = isMasked ? rows.map(maskRow) : rows;
      saveFile(
        exportFile(shown, format),
        `deliveries-${new Date().toISOString().slice(0, 19).replaceAll(':', '')}.${format}`,
      );
      setState({ name: 'done', count: rows.length, isTruncated });
    } catch (error) {
      setState(signal.aborted ? { name: 'idle' } : { name: 'failed', message: toApiFailure(error).message });
    }
  };
  return {
    state,
    start: (format: Format) => void run(format),
    cancel: () => controller.current?.abort(),
    reset: () => setState({ name: 'idle' }),
  };
}

const maskRow = (row: Delivery): Delivery => ({ ...row, mobile: row.mobile === null ? null : maskNumber(row.mobile) });

type FetchAllOptions = { query: Record<string, string>; signal: AbortSignal; onCount: (count: number) => void };

async function fetchAll(
  api: Api,
  { query, signal, onCount }: FetchAllOptions,
): Promise<{ rows: Delivery[]; isTruncated: boolean }> {
  const rows: Delivery[] = [];
  let cursor: string | null = null;
  do {
    const position: { cursor?: string } = cursor === null ? {} : { cursor };
    const params = { query: { ...query, per_page: perPage, ...position } };
    const page = await retryWhenBusy(() => unwrap(api.GET('/developer/deliveries', { params, signal })), signal);
    rows.push(...page.data);
    onCount(rows.length);
    cursor = page.meta.next_cursor;
  } while (cursor !== null && rows.length < maxRows);
  return { rows: rows.slice(0, maxRows), isTruncated: cursor !== null };
}
