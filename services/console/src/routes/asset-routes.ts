/** The files that pages load: the stylesheet, open to the login page too, and the scripts. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { FastifyInstance } from 'fastify';

export function addAssetRoutes(app: FastifyInstance): void {
  const read = (name: string): Buffer => readFileSync(join(import.meta.dirname, '../assets', name));
  const style = read('style.css');
  app.get('/style.css', { config: { open: true } }, async (_request, reply) =>
    reply.type('text/css; charset=utf-8').header('cache-control', 'no-cache').send(style),
  );
  for (const name of ['timeline.js', 'team-form.js']) {
    const script = read(name);
    app.get(`/${name}`, async (_request, reply) =>
      reply.type('text/javascript; charset=utf-8').header('cache-control', 'no-cache').send(script),
    );
  }
}
