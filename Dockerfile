# One image for all programs. Its commands are those of the npm package: `api`, `worker`, `migrate`, `account create` …
FROM node:24-bookworm-slim AS build
WORKDIR /build
COPY package.json package-lock.json .npmrc turbo.json tsconfig.json tsconfig.base.json prisma.config.ts LICENSE CHANGELOG.md .env.example ./
COPY apps apps
COPY examples/verify examples/verify
COPY packages packages
COPY prisma prisma
COPY scripts scripts
COPY deploy/npm deploy/npm
COPY test test
ENV TURBO_TELEMETRY_DISABLED=1
RUN --mount=type=cache,target=/root/.npm npm ci
# The final stage has no /usr/bin/env, which finds node.
RUN npm run package && npm install --global --prefix /image/usr/local dist/release/ringback-[0-9]*.tgz \
  && sed -i '1s|.*|#!/usr/local/bin/node|' /image/usr/local/lib/node_modules/ringback/scripts/ringback.cjs

# Debian's libraries for Node, certificates and time zones: no shell and no package manager. The programs handle
# signals and start no processes, so they need no init.
FROM gcr.io/distroless/cc-debian12:nonroot
LABEL org.opencontainers.image.title=Ringback \
  org.opencontainers.image.description="Open webhook and message-callback service for SMS and RCS platforms" \
  org.opencontainers.image.version=0.1.0 \
  org.opencontainers.image.licenses=MIT
COPY --from=build /usr/local/bin/node /usr/local/bin/
COPY --from=build /image /
# A young generation that holds what lives as long as a callback. HEALTH_PORT is the worker's.
ENV NODE_ENV=production NODE_OPTIONS=--max-semi-space-size=32 HEALTH_PORT=3001
# The number of `nonroot`: Kubernetes checks runAsNonRoot by it.
USER 65532
EXPOSE 3000 3001
# Whether the API or the worker answers. Swarm and ECS replace unhealthy containers, so it does not depend on PostgreSQL.
HEALTHCHECK --interval=10s --timeout=4s --start-period=30s CMD ["node", "-e", "Promise.any([process.env.PORT || 3000, process.env.HEALTH_PORT].map(async (port) => (await fetch('http://127.0.0.1:' + port + '/healthz')).ok || Promise.reject())).catch(() => process.exit(1))"]
ENTRYPOINT ["ringback"]
CMD ["api"]
