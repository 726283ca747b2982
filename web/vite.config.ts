import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Connect, defineConfig } from 'vite';

const web = dirname(fileURLToPath(import.meta.url));

/** Address of the service that runs alongside Vite. */
const service = process.env.BASE_URL ?? `http://localhost:${process.env.PORT ?? 8000}`;

/** In development, the service renders the page, and Vite replaces its policy and script. */
const shellFromService: Connect.NextHandleFunction = (request, response, next) => {
  if (request.method !== 'GET' || !/^\/dashboard(?:[/?]|$)/.test(request.url ?? '')) {
    next();
    return;
  }
  const headers = { cookie: request.headers.cookie ?? '' };
  void fetch(service + (request.url ?? ''), { headers, redirect: 'manual' })
    .then(async (answer) => {
      const location = answer.headers.get('location');
      if (location !== null) {
        response.writeHead(answer.status, { Location: location }).end();
        return;
      }
      const markup = (await answer.text())
        .replace(/<link rel="stylesheet" href="\/static\/app\/[^>]*>/g, '')
        .replace(/<script type="module"[^>]*><\/script>/, '')
        .replace(
          '</head>',
          '<script type="module" src="/static/app/@vite/client"></script><script type="module" src="/static/app/main.tsx"></script></head>',
        );
      response.writeHead(answer.status, { 'Content-Type': 'text/html; charset=utf-8' });
      response.end(markup);
    })
    .catch(next);
};

const ofBase = /web\/(?:api|data|parts|[a-z]+\.tsx?$)|node_modules/;
const ofLinkForm =
  /web\/parts\/(?:alias-check|campaign|condition-offers|destination-|form-group|link-form|link-ways|rows|rules|shares|try-link|values)/;
const isOfBase = (path: string): boolean => ofBase.test(path) && !ofLinkForm.test(path);

export default defineConfig({
  root: web,
  base: '/static/app/',
  publicDir: false,
  clearScreen: false,
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  plugins: [
    {
      name: 'shell-from-service',
      configureServer: (server) => void server.middlewares.use(shellFromService),
    },
  ],
  server: {
    port: 5173,
    strictPort: true,
    fs: { allow: [join(web, '..')] },
    // Proxies all other paths to the service, which accepts only its own origin.
    proxy: {
      '^/(?!static/app/|dashboard(?:[/?]|$)).*': {
        target: service,
        changeOrigin: true,
        headers: { origin: new URL(service).origin },
      },
      '^/dashboard/logout': { target: service, headers: { origin: new URL(service).origin } },
    },
  },
  build: {
    outDir: join(web, '..', 'dist', 'web'),
    emptyOutDir: true,
    target: 'es2022',
    manifest: 'manifest.json',
    // There is one small style sheet, and preloading is unnecessary.
    cssCodeSplit: false,
    modulePreload: false,
    assetsInlineLimit: 0,
    reportCompressedSize: false,
    rollupOptions: {
      input: join(web, 'main.tsx'),
      output: {
        entryFileNames: '[name]-[hash].js',
        chunkFileNames: '[name]-[hash].js',
        assetFileNames: '[name]-[hash][extname]',
        // Groups shared modules into one chunk, and those used only by link forms into another.
        codeSplitting: {
          groups: [
            { name: 'base', priority: 1, test: isOfBase },
            { name: 'link-form', test: ofLinkForm },
            { name: 'domains', test: /web\/screens\/domains/ },
            { name: 'statistics', test: /web\/stats/ },
          ],
        },
      },
    },
  },
});
