# Two stages: the first builds with all packages, the second runs without development packages as an
# unprivileged user.
# Any Node.js release since 20.19 works: docker build --build-arg NODE=20 .
ARG NODE=24
FROM node:${NODE}-trixie-slim AS build
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
# Replaces packages that are never loaded: node_modules has links to it.
COPY scripts/empty-package scripts/empty-package
# No package needs its install script: native code is prebuilt.
RUN npm ci --ignore-scripts
COPY .swcrc nest-cli.json tsconfig.json tsconfig.build.json ./
COPY scripts scripts
COPY src src
COPY web web
RUN node scripts/start.mjs --build-only && npm prune --omit=dev --ignore-scripts

FROM node:${NODE}-trixie-slim
ENV NODE_ENV=production DATA_DIR=/data
WORKDIR /app
COPY --from=build /app/node_modules node_modules
COPY --from=build /app/scripts/empty-package scripts/empty-package
COPY --from=build /app/dist dist
COPY package.json LICENSE ./
# `docker compose exec app curtail verify`; `curtail --help` lists the commands.
RUN chmod +x dist/program/cli/curtail.js && ln -s /app/dist/program/cli/curtail.js /usr/local/bin/curtail
RUN mkdir /data && chown node:node /data
USER node
VOLUME /data
EXPOSE 8000
HEALTHCHECK --interval=10s --timeout=3s --start-period=30s \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT || 8000}/health`).then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))"]
CMD ["node", "dist/main.js"]
