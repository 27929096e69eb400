import { useState } from 'react';
import { Untrusted } from '../components/untrusted.js';
import { useSession } from '../session/session-context.js';

/** The logo and the name of the platform, and the name of the account. */
export function Brand() {
  const { theme, account } = useSession().session;
  const [isBroken, setBroken] = useState(false);
  const name = theme?.name ?? null;
  return (
    <div className="brand">
      {theme?.logo_url && !isBroken && (
        <img src={theme.logo_url} alt={name === null ? 'Logo' : ''} onError={() => setBroken(true)} />
      )}
      <div>
        {name !== null && (
          <div className="brand-name">
            <Untrusted text={name} />
          </div>
        )}
        <div className={name === null ? 'brand-name' : 'hint'}>
          <Untrusted text={account.name} />
        </div>
      </div>
    </div>
  );
}
