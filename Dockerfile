# One image for every process: docker-compose.yml chooses the command.
FROM node:20-bookworm-slim AS build
WORKDIR /app
COPY package.json package-lock.json .npmrc turbo.json tsconfig.base.json prisma.config.ts ./
COPY apps apps
COPY examples/verify examples/verify
COPY packages packages
COPY prisma prisma
COPY scripts scripts
COPY test test
ENV TURBO_TELEMETRY_DISABLED=1
# Optional packages are the embedded PostgreSQL of `npm start` and a compiled part of msgpackr that BullMQ does without.
RUN npm ci && npm run build \
  && npm prune --omit=dev --omit=optional \
  && find apps packages -path '*/dist/*' '(' -name '*.test.*' -o -name '*.fixture.*' ')' -delete \
  && rm -rf examples test apps/portal/dist-test .turbo node_modules/.cache

FROM node:20-bookworm-slim
# tini reaps and passes on signals, so that a stop is a graceful one.
RUN apt-get update && apt-get install -y --no-install-recommends tini ca-certificates && rm -rf /var/lib/apt/lists/*
# Room for what lives as long as a call; threads, and little patience, for names whose servers do not answer.
ENV NODE_ENV=production NODE_OPTIONS=--max-semi-space-size=32 \
  UV_THREADPOOL_SIZE=512 RES_OPTIONS="timeout:1 attempts:2"
WORKDIR /app
COPY --from=build --chown=node:node /app ./
USER node
EXPOSE 3000
ENTRYPOINT ["tini", "--"]
CMD ["node", "apps/api/dist/main.js"]
