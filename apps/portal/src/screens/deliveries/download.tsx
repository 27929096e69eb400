import { useEffect, useRef, useState } from 'react';
import { type Api, retryWhenBusy, unwrap } from '../../api/client.js';
import { toApiFailure } from '../../api/failure.js';
import type { Delivery } from '../../api/schemas.js';
import { Button } from '../../components/button.js';
import { Dialog } from '../../components/dialog.js';
import { Segments } from '../../components/fields.js';
import { Progress } from '../../components/states.js';
import { usePreferences } from '../../session/preferences.js';
import { useApi } from '../../session/session.js';
import { formatCount } from '../../text/format.js';
import { maskNumber } from '../../text/untrusted.js';
import { exportFile, type Format, formats, saveFile } from './export-files.js';

/** The maximum number of rows. More would take long to fetch and use much memory. */
const maxRows = 10_000;
const perPage = 100;

type DownloadState =
  | { name: 'idle' }
  | { name: 'running'; count: number }
  | { name: 'done'; count: number; isTruncated: boolean }
  | { name: 'failed'; message: string };

/** Fetches all pages of the list, up to `maxRows` rows, and saves them as a file. */
function useDownload(query: Record<string, string>) {
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

const options = formats.map((value) => ({ value, label: value.toUpperCase() }));

/** Downloads the filtered deliveries as a file. */
export function DownloadButton({ query }: { query: Record<string, string> }) {
  const [isOpen, setOpen] = useState(false);
  const [format, setFormat] = useState<Format>('csv');
  const { state, start, cancel, reset } = useDownload(query);
  const isRunning = state.name === 'running';
  const close = () => {
    cancel();
    reset();
    setOpen(false);
  };
  return (
    <>
      <Button onClick={() => setOpen(true)}>Download</Button>
      <Dialog title="Download deliveries" isOpen={isOpen} onClose={close}>
        <DownloadNotes hasFilters={Object.keys(query).length > 0} />
        <Segments label="File format" value={format} onChange={setFormat} options={options} />
        <DownloadResult state={state} />
        <div className="actions">
          <Button variant="primary" isBusy={isRunning} onClick={() => start(format)}>
            Download
          </Button>
          {isRunning ? <Button onClick={cancel}>Stop</Button> : <Button onClick={close}>Close</Button>}
        </div>
      </Dialog>
    </>
  );
}

function DownloadNotes({ hasFilters }: { hasFilters: boolean }) {
  const { isMasked } = usePreferences();
  return (
    <>
      <p>
        {hasFilters ? 'The deliveries that match the filters' : 'All deliveries'}, newest first, at most{' '}
        {formatCount(maxRows)}.
      </p>
      {isMasked && <p>Numbers are masked in the file, as on the page.</p>}
    </>
  );
}

function DownloadResult({ state }: { state: DownloadState }) {
  return (
    <div className="download-result">
      {state.name === 'running' && <Progress label="Deliveries fetched" value={state.count} max={null} />}
      <p role="status">{describeState(state)}</p>
    </div>
  );
}

const reportEvery = 1_000;

function describeState(state: DownloadState): string {
  if (state.name === 'failed') return `The download failed: ${state.message}`;
  if (state.name === 'done') {
    const rest = state.isTruncated ? ' Older deliveries are left out. Use the filter Until to download them.' : '';
    return `${formatCount(state.count)} deliveries are in the file.${rest}`;
  }
  if (state.name === 'idle') return '';
  // The text changes only in steps, so that a screen reader can follow.
  const rounded = Math.floor(state.count / reportEvery) * reportEvery;
  return rounded === 0 ? 'Fetching the deliveries …' : `${formatCount(rounded)} deliveries fetched …`;
}
