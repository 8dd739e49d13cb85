import { svelte } from '@sveltejs/vite-plugin-svelte';
import { defineConfig } from 'vite';

/** `BOWERBIRD_SERVER=http://127.0.0.1:7700 npm run dev` works on the page against a running server. */
const server = process.env.BOWERBIRD_SERVER ?? 'http://127.0.0.1:7700';

export default defineConfig({
  plugins: [svelte()],
  build: {
    target: 'es2022',
    // Everything is a file of its own: the Content-Security-Policy admits no inlined script or font.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    chunkSizeWarningLimit: 1200,
  },
  server: { proxy: { '/api': { target: server, changeOrigin: true } } },
});
