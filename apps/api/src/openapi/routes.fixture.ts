import type { Express } from 'express';

type Layer = Express['router']['stack'][number];

/** Every route of an app and of its routers, in the form `GET /developer/webhooks/{id}`. */
export const routesOf = (app: Express): string[] => routesIn(app.router.stack);

function routesIn(layers: Layer[]): string[] {
  return layers.flatMap(({ route, handle }) => {
    if (!route) return routesIn(Reflect.get(handle, 'stack') ?? []);
    const path = route.path.replace(/:(\w+)/g, '{$1}');
    const methods = new Set(route.stack.map(({ method }) => method).filter((method) => method !== undefined));
    return [...methods].map((method) => `${method.toUpperCase()} ${path}`);
  });
}
