import { useState } from 'react';
import { Button } from '../../components/button.js';
import { Dialog } from '../../components/dialog.js';
import { Progress } from '../../components/meter.js';
import { Segments } from '../../components/segments.js';
import { usePreferences } from '../../preferences/preferences.js';
import { formatCount } from '../../text/numbers.js';
import { type Format, formats } from './export-files.js';
import { type DownloadState, maxRows, useDownload } from './use-download.js';

const options = formats.map((value) => ({ value, label: value.toUpperCase() }));

/** Saves the filtered deliveries as a file. */
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
        <Segments label="Format of the file" value={format} onChange={setFormat} options={options} />
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
      {state.name === 'running' && <Progress label="Deliveries that are read" value={state.count} max={null} />}
      <p role="status">{textOf(state)}</p>
    </div>
  );
}

const reportEach = 1_000;

function textOf(state: DownloadState): string {
  if (state.name === 'failed') return `It could not be downloaded: ${state.message}`;
  if (state.name === 'done') {
    const rest = state.isCut ? ' There are older ones: use the filter Until for them.' : '';
    return `${formatCount(state.count)} deliveries are in the file.${rest}`;
  }
  if (state.name === 'idle') return '';
  // In steps, so that a screen parser can follow.
  const steps = Math.floor(state.count / reportEach) * reportEach;
  return steps === 0 ? 'Reading the deliveries …' : `${formatCount(steps)} deliveries are read …`;
}
