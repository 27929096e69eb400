import { type FormEvent, useState } from 'react';
import { Button } from '../components/button.js';
import { Dialog } from '../components/dialog.js';
import { TextField } from '../components/fields.js';

type SessionEndedDialogProps = {
  isOpen: boolean;
  returnUrl: string | null;
  /** Resolves with a problem to show if the link cannot be used, else with undefined. */
  onLink: (link: string) => Promise<string | undefined>;
};

/** Tells the user that the session has ended, and resumes with a new link. The page below keeps its input. */
export function SessionEndedDialog({ isOpen, returnUrl, onLink }: SessionEndedDialogProps) {
  const [link, setLink] = useState('');
  const [problem, setProblem] = useState<string>();
  const [isBusy, setBusy] = useState(false);
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    setBusy(true);
    setProblem(await onLink(link));
    setBusy(false);
    setLink('');
  };
  return (
    <Dialog title="Your session has ended" isOpen={isOpen}>
      <p>Your input is still here. Get a new portal link and paste it to continue.</p>
      <form onSubmit={(event) => void submit(event)} noValidate>
        <TextField
          label="New portal link"
          value={link}
          onChange={setLink}
          errors={problem === undefined ? [] : [problem]}
          autoComplete="off"
          spellCheck={false}
        />
        <div className="actions">
          <Button type="submit" variant="primary" isBusy={isBusy}>
            Continue
          </Button>
          {returnUrl && (
            <a className="button" href={returnUrl} target="_blank" rel="noreferrer">
              Get a new link
            </a>
          )}
        </div>
      </form>
    </Dialog>
  );
}
