// The portal: a single-page application on the management API.
//
// A new screen is a folder `src/screens/<name>/` whose `index.tsx` exports a component as default, one line in
// `routes.ts` and one in `layout/navigation.tsx`. A screen starts with <Page title="…">, fetches with useQuery and
// `unwrap` (data/api.ts), keeps its filters in the URL (data/filters.ts), and shows data from outside only through
// components/ (Untrusted, CodeBlock, PhoneNumber, Time), which escape, mask and format it.
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
