# The one bundle on a Node without a shell. The program is the same for every machine, so it is built once, on the machine that builds:
#   docker buildx build --platform linux/amd64,linux/arm64 -t registry.example.com/lull:0.1.0 \
#     --build-arg LULL_COMMIT="$(git rev-parse HEAD)" --build-arg LULL_COMMIT_DATE="$(git log -1 --format=%cs)" --push .
# Other base images: --build-arg BUILD_IMAGE=… --build-arg BASE_IMAGE=…
ARG BUILD_IMAGE=pinned-build
ARG BASE_IMAGE=pinned-base

# By digest, one line each. Stages rather than ARGs: Dependabot renews FROM lines only.
FROM --platform=$BUILDPLATFORM docker.io/library/node:24-slim@sha256:0e0ff40c39bc087845bfb27465a0df4ea419520094bc35842ff83dd8cbe6f9b6 AS pinned-build
FROM gcr.io/distroless/nodejs24-debian13:nonroot@sha256:9eeb7f5887d0e239e78264b06f7f11d2e14be534050481803a9e4728fcdd278e AS pinned-base

FROM --platform=$BUILDPLATFORM ${BUILD_IMAGE} AS build
WORKDIR /source
COPY . .
# What `lull --version` says: there is no git in here.
ARG LULL_COMMIT=""
ARG LULL_COMMIT_DATE=""
# Only what package-lock.json names, each with its hash; no install script runs. Modes do not depend on the umask of the checkout.
RUN npm ci --ignore-scripts && npm run build && chmod -R u=rwX,go=rX LICENSE scenarios dist

FROM ${BASE_IMAGE}
LABEL org.opencontainers.image.title="lull" \
      org.opencontainers.image.description="Decides when Kubernetes nodes may be disrupted, and reports what holds the others" \
      org.opencontainers.image.licenses="Apache-2.0"
WORKDIR /lull
COPY --from=build /source/LICENSE ./
COPY --from=build /source/scenarios/demo.yaml ./scenarios/
COPY --from=build /source/dist/lull.mjs /source/dist/searchThread.mjs /source/dist/watchdogThread.mjs /source/dist/sbom.cdx.json /source/dist/THIRD-PARTY-LICENSES.txt ./dist/
COPY --from=build /source/dist/chunks/ ./dist/chunks/
COPY --from=build /source/dist/dashboard/ ./dist/dashboard/
ENV NODE_ENV=production
EXPOSE 7727
# By number, so that Kubernetes can see that it is not root.
USER 65532:65532
ENTRYPOINT ["/nodejs/bin/node", "/lull/dist/lull.mjs"]
CMD ["--help"]
