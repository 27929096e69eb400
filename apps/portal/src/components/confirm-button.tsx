import { type ReactNode, useState } from 'react';
import { Button } from './button.js';
import { Dialog } from './dialog.js';

type ConfirmButtonProps = {
  /** The text of the button, such as "Delete". */
  label: string;
  /** Names the button for screen readers if its text is not enough. */
  name?: string;
  /** The question, such as "Delete the webhook?". */
  title: string;
  /** Called when the user confirms. */
  onConfirm: () => void;
  isBusy?: boolean;
  variant?: 'danger' | 'quiet';
  /** Explains the consequences in the dialog. */
  children: ReactNode;
};

/** A button that asks for confirmation in a dialog. */
export function ConfirmButton(props: ConfirmButtonProps) {
  const { label, name, title, onConfirm, isBusy = false, variant = 'danger', children } = props;
  const [isConfirming, setConfirming] = useState(false);
  const confirm = () => {
    setConfirming(false);
    onConfirm();
  };
  return (
    <>
      <Button variant={variant} isBusy={isBusy} aria-label={name} onClick={() => setConfirming(true)}>
        {label}
      </Button>
      <Dialog title={title} isOpen={isConfirming} onClose={() => setConfirming(false)}>
        {children}
        <div className="actions">
          <Button variant="danger" onClick={confirm}>
            {label}
          </Button>
          <Button onClick={() => setConfirming(false)}>Cancel</Button>
        </div>
      </Dialog>
    </>
  );
}
