import { Component, type ReactNode } from 'react';
import { OfflineFailure, toApiFailure } from '../api/failure.js';
import { ErrorState } from '../components/states.js';

type Props = { children: ReactNode };

/** An error boundary: shows an error instead of a screen that throws or whose code could not be loaded. */
export class ScreenBoundary extends Component<Props, { error: unknown }> {
  override state: { error: unknown } = { error: undefined };

  static getDerivedStateFromError(error: unknown) {
    return { error };
  }

  override render() {
    if (this.state.error === undefined) return this.props.children;
    const failure = isLoadError(this.state.error) ? new OfflineFailure() : toApiFailure(this.state.error);
    return (
      <>
        <h1>This screen cannot be shown</h1>
        <ErrorState failure={failure} onRetry={() => window.location.reload()} />
      </>
    );
  }
}

/**
 * Whether code could not be loaded, for which browsers have no error class. After a release, the old files are gone,
 * and a reload loads the new ones.
 */
const isLoadError = (error: unknown) =>
  error instanceof Error && /dynamically imported|importing a module|preload CSS/i.test(error.message);
