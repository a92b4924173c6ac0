# docker build -t xsvc:0.2.0 .
# docker run -p 127.0.0.1:8090:8090 -v xsvc-data:/data -v ./plugins:/plugins:ro xsvc:0.2.0
# The digest is that of the index of all platforms; `docker buildx imagetools inspect node:22-bookworm-slim` prints the newest.
FROM node:22-bookworm-slim@sha256:43ac6c60b8f89723f746e8a92ce91abd5017e627ce1ddfe4238355d3a30b772c AS build
WORKDIR /build
COPY package.json package-lock.json .npmrc ./
RUN npm ci --ignore-scripts
COPY . .
RUN npm run build && find dist -mindepth 1 -maxdepth 1 ! -name bundle ! -name console ! -name swagger-ui ! -name types -exec rm -r {} +
RUN npm prune --omit=dev --ignore-scripts && rm -rf src tsconfig.json tsconfig.build.json bundle.mjs bundle-types.mjs bundle-console.mjs licenses.mjs

FROM node:22-bookworm-slim@sha256:43ac6c60b8f89723f746e8a92ce91abd5017e627ce1ddfe4238355d3a30b772c
LABEL org.opencontainers.image.title="xsvc" org.opencontainers.image.version="0.2.0" org.opencontainers.image.licenses="MIT"
COPY --from=build /build /opt/xsvc
RUN ln -s /opt/xsvc/bin/xsvc.js /usr/local/bin/xsvc
RUN mkdir -p /data /plugins && chown 1000:1000 /data
# A container listens to others, so it asks for tokens. The first start prints that of the user admin.
ENV NODE_ENV=production XSVC_HOST=0.0.0.0 XSVC_AUTH=token XSVC_DATA_DIR=/data XSVC_PLUGINS=/plugins
# The user "node" of the base image.
USER 1000:1000
WORKDIR /data
VOLUME /data
EXPOSE 8090
HEALTHCHECK --interval=10s --timeout=3s --start-period=60s CMD ["node", "-e", "fetch('http://127.0.0.1:8090/livez').then((answer) => process.exit(answer.ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["xsvc"]
CMD ["serve"]
