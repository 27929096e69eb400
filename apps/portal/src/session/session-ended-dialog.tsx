import { type FormEvent, useState } from 'react';
import { Button } from '../components/button.js';
import { Dialog } from '../components/dialog.js';
import { TextField } from '../components/field.js';

type SessionEndedDialogProps = {
  isOpen: boolean;
  returnUrl: string | null;
  /** Resolves with the reason when the link cannot be used. */
  onLink: (link: string) => Promise<string | undefined>;
};

/** Says over the page that the session has ended, and resumes with a new link. The page below keeps all input. */
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
      <p>Everything that you typed is still here. Get a new portal link and paste it to go on.</p>
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
            Go on
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
