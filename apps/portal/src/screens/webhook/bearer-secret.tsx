import { useState } from 'react';
import type { ShownWebhook } from '../../api/schemas.js';
import { Button, ButtonLink } from '../../components/button.js';
import { CopyButton } from '../../components/copy-button.js';
import { Untrusted } from '../../components/untrusted.js';

/** The Bearer secret of callbacks, hidden until the user shows it. */
export function BearerSecret({ webhook: { id, secret, unreadable } }: { webhook: ShownWebhook }) {
  const [isShown, setShown] = useState(false);
  const isUnreadable = unreadable?.includes('secret') ?? false;
  return (
    <section aria-labelledby="bearer">
      <h2 id="bearer">Bearer secret</h2>
      <p className="hint">Sent as “Authorization: Bearer …”.</p>
      {isUnreadable && (
        <p className="notice danger">The service cannot decrypt the secret, so callbacks wait. Contact the operator.</p>
      )}
      {secret === null && !isUnreadable && <p>None: callbacks carry the account's callback token.</p>}
      {secret !== null && isShown && (
        <div className="shown-secret">
          <code>
            <Untrusted text={secret} />
          </code>
          <CopyButton text={secret} label="Copy the Bearer secret" />
        </div>
      )}
      <div className="actions">
        {secret !== null && (
          <Button
            aria-expanded={isShown}
            aria-label={isShown ? 'Hide the Bearer secret' : 'Show the Bearer secret'}
            onClick={() => setShown(!isShown)}
          >
            {isShown ? 'Hide' : 'Show'}
          </Button>
        )}
        <ButtonLink href={`/webhooks/${id}/edit`}>Edit secret</ButtonLink>
      </div>
    </section>
  );
}
