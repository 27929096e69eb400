import { useState } from 'react';
import { Button } from '../../components/button.js';
import { Dialog } from '../../components/dialog.js';
import { Progress } from '../../components/meter.js';
import { Segments } from '../../components/segments.js';
import { usePreferences } from '../../session/preferences.js';
import { formatCount } from '../../text/numbers.js';
import { type DownloadState, maxRows, useDownload } from './download.js';
import { type Format, formats } from './export-files.js';

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
