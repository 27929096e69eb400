import { type ReactNode, useEffect, useId, useLayoutEffect, useRef, useState } from 'react';
import { AnnouncerRegion } from './announcer.js';
import { Button } from './button.js';

type DialogProps = {
  title: string;
  isOpen: boolean;
  /** Absent if the dialog cannot be dismissed. */
  onClose?: () => void;
  children: ReactNode;
};

/** A modal dialog. The browser keeps the focus inside it, and returns the focus when the dialog closes. */
export function Dialog({ title, isOpen, onClose, children }: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const titleId = useId();
  useEffect(() => {
    if (isOpen && !dialog.current?.open) dialog.current?.showModal();
    if (!isOpen) dialog.current?.close();
  }, [isOpen]);
  // Closing returns the focus, even if the dialog is removed while it is open.
  useLayoutEffect(() => {
    const element = dialog.current;
    return () => element?.close();
  }, []);
  return (
    <dialog
      ref={dialog}
      className="dialog"
      aria-labelledby={titleId}
      onCancel={(event) => {
        event.preventDefault();
        onClose?.();
      }}
      // When Escape is pressed twice, the browser closes the dialog despite preventDefault.
      onClose={() => (onClose ? onClose() : isOpen && dialog.current?.showModal())}
    >
      <h2 id={titleId}>{title}</h2>
      {isOpen && children}
      {isOpen && <AnnouncerRegion />}
    </dialog>
  );
}

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
