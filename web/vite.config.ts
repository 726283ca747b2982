import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Connect, defineConfig } from 'vite';

const web = dirname(fileURLToPath(import.meta.url));

/** The running service that `npm run dev` stands beside. */
const service = process.env.BASE_URL ?? `http://localhost:${process.env.PORT ?? 8000}`;

/**
 * While developing, the page comes from the service, whose policy and built script give way to
 * those of Vite.
 */
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
  /web\/parts\/(?:alias-check|campaign|condition-offers|destination-|link-form|link-ways|rows|rules|shares|try-link|values)/;
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
    // Everything else is the service's; it believes requests that come from its own origin.
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
    // One style sheet, no preloading: what a screen needs is one small file.
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
        // Parts that most screens share are one file, not a dozen of a few hundred bytes; what only
        // the forms of a link have is another.
        codeSplitting: {
          groups: [
            { name: 'base', priority: 1, test: isOfBase },
            { name: 'link-form', test: ofLinkForm },
          ],
        },
      },
    },
  },
});
