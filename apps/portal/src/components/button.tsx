import type { ButtonHTMLAttributes } from 'react';
import { Link } from 'wouter';

type ButtonProps = ButtonHTMLAttributes<HTMLButtonElement> & {
  variant?: 'primary' | 'danger' | 'quiet';
  /** The action is in progress: the button keeps the focus, but does nothing. */
  isBusy?: boolean;
};

/** A button. It submits a form only with `type="submit"`. */
export function Button({ variant, isBusy = false, onClick, children, ...rest }: ButtonProps) {
  return (
    <button
      type="button"
      {...rest}
      className={variant ? `button ${variant}` : 'button'}
      aria-disabled={isBusy || undefined}
      onClick={(event) => (isBusy ? event.preventDefault() : onClick?.(event))}
    >
      {children}
      {isBusy && <span className="spinner" aria-hidden="true" />}
    </button>
  );
}

type ButtonLinkProps = { href: string; variant?: ButtonProps['variant']; children: React.ReactNode };

/** A link to another screen that looks like a button. */
export function ButtonLink({ href, variant, children }: ButtonLinkProps) {
  return (
    <Link href={href} className={variant ? `button ${variant}` : 'button'}>
      {children}
    </Link>
  );
}
