import { ButtonLink } from '../components/button.js';
import { EmptyState } from '../components/states.js';
import { Page } from '../layout/page.js';

export function NotFound() {
  return (
    <Page title="Not found">
      <EmptyState title="There is no such page.">
        <ButtonLink href="/">Go to the overview</ButtonLink>
      </EmptyState>
    </Page>
  );
}
