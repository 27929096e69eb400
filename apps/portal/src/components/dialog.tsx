import { type ReactNode, useEffect, useId, useLayoutEffect, useRef } from 'react';
import { AnnouncerRegion } from './announcer.js';

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
