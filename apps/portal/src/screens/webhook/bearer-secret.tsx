import { useState } from 'react';
import { Button, ButtonLink } from '../../components/button.js';
import { CopyButton } from '../../components/copy-button.js';
import { Untrusted } from '../../components/untrusted.js';
import type { ShownWebhook } from '../../data/schemas.js';

/** The Bearer token of callbacks, hidden until the user asks for it. */
export function BearerSecret({ webhook: { id, secret, unreadable } }: { webhook: ShownWebhook }) {
  const [isShown, setShown] = useState(false);
  const isUnreadable = unreadable?.includes('secret') ?? false;
  return (
    <section aria-labelledby="bearer">
      <h2 id="bearer">Secret</h2>
      <p className="hint">Callbacks carry it as “Authorization: Bearer …”.</p>
      {isUnreadable && (
        <p className="notice danger">The service cannot decrypt it, so callbacks wait. Tell the operator.</p>
      )}
      {secret === null && !isUnreadable && <p>There is none: callbacks carry the callback token of the account.</p>}
      {secret !== null && isShown && (
        <div className="shown-secret">
          <code>
            <Untrusted text={secret} />
          </code>
          <CopyButton text={secret} label="Copy the secret" />
        </div>
      )}
      <div className="actions">
        {secret !== null && (
          <Button
            aria-expanded={isShown}
            aria-label={isShown ? 'Hide the Bearer token' : 'Show the Bearer token'}
            onClick={() => setShown(!isShown)}
          >
            {isShown ? 'Hide' : 'Show'}
          </Button>
        )}
        <ButtonLink href={`/webhooks/${id}/edit`}>Change it</ButtonLink>
      </div>
    </section>
  );
}
