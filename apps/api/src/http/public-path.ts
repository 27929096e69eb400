import type { Request, RequestHandler } from 'express';
import { apiPathOf, pathOf, type PublicAddress, servicePaths } from '@ringback/process';
import { type Operation, parseRoute } from './operation.js';

/**
 * Lets requests arrive with the path of the public URL before their own, as from a proxy that keeps it, and without it,
 * as from one that removes it. It is removed only where a path of the API or of the service follows, so that nothing is
 * removed twice: under `https://example.com/portal`, `/portal/deliveries` is a page of the portal.
 */
export function acceptPublicPath(address: PublicAddress, operations: Operation[]): RequestHandler {
  const prefix = pathOf(address.publicUrl).toLowerCase();
  const known = [...servicePaths, ...apiPaths(apiPathOf(address), operations)].map((path) => path.toLowerCase());
  return (request, _response, next) => {
    const url = request.url.toLowerCase();
    if (prefix !== '' && url.startsWith(`${prefix}/`)) {
      const path = `${url.slice(prefix.length).split('?', 1)[0]}/`;
      if (known.some((start) => path.startsWith(`${start}/`))) request.url = request.url.slice(prefix.length);
    }
    next();
  };
}

/** With what the paths of the API start: its own path, or the first segments of its operations when it has none. */
function apiPaths(apiPath: string, operations: Operation[]): string[] {
  if (apiPath !== '') return [apiPath];
  return [...new Set(operations.map((operation) => `/${parseRoute(operation).path.split('/')[1]}`))];
}

/**
 * The way from a page to the folder at which its router is mounted, such as `../` from `/portal/webhooks/new`. Links
 * that start with it lead to the same files whatever a proxy adds to the path.
 */
export function wayToMount({ originalUrl, baseUrl: mount, path }: Request): string {
  const isFolder = path !== '/' || originalUrl.split('?', 1)[0]?.endsWith('/');
  if (!isFolder) return `${mount.slice(mount.lastIndexOf('/') + 1)}/`;
  return '../'.repeat(path.split('/').length - 2) || './';
}
