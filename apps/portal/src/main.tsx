// The portal: a single-page application on the management API.
//
// A new screen is a file in `screens/` that exports a component as default, one line in `routes.ts` and one in
// `layout/layout.tsx`. A screen starts with <Page title="…">, fetches with useQuery and `unwrap` (api/client.ts), keeps
// its filters in the URL (resources/filters.ts), and shows data from outside only through Untrusted, PhoneNumber, Time
// (components/text.tsx) and CodeBlock, which escape, mask and format it. What two screens know about a resource, such
// as its queries, its labels and its badge, is in `resources/`.
//
// This file is small: the session opens and the first screen loads while the browser still fetches React.
import { loadCurrentScreen } from './routes.js';
import { reportHeight } from './session/host-page.js';
import { startFirstSession } from './session/link.js';
import './styles/index.css';

reportHeight();
startFirstSession();
void loadCurrentScreen(window.location.pathname);
void import('./app.js').then(({ renderApp }) => renderApp());
