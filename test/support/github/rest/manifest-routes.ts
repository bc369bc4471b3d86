/** The two addresses of setting an App up: its public page, and the exchange of a manifest's code for its secrets. */
import { created, notFound, ok } from '../http/reply.ts';
import { param, type Route } from '../http/route.ts';
import { appView } from '../view/app-view.ts';

export function createManifestRoutes(privateKey: string): readonly Route[] {
  return [
    {
      method: 'GET',
      path: '/apps/{app_slug}',
      auth: 'any',
      handle: (context) => {
        if (param(context, 'app_slug') !== context.state.app.slug) throw notFound();
        return ok(appView(context.state));
      },
    },
    {
      method: 'POST',
      path: '/app-manifests/{code}/conversions',
      auth: 'any',
      handle: (context) => {
        const { state } = context;
        // A code works once, as on GitHub.
        if (!state.manifestCodes.delete(param(context, 'code'))) throw notFound();
        return created({
          ...appView(state),
          client_secret: 'a client secret of the stand-in',
          webhook_secret: state.hook.secret,
          pem: privateKey,
        });
      },
    },
  ];
}
