/** The App's hook: its configuration, what was delivered in the last three days, and redelivery on request. */
import { cursorPage } from '../http/pagination.ts';
import { Refused, notFound, ok, type Reply } from '../http/reply.ts';
import { param, textIn, type RestContext, type Route } from '../http/route.ts';
import type { Delivery, Hooks } from '../hooks/deliver.ts';
import { timestamp, type Json } from '../view/common.ts';

const WINDOW_MS = 3 * 24 * 60 * 60 * 1000;

function itemView(delivery: Delivery): Json {
  return {
    id: delivery.id,
    guid: delivery.guid,
    delivered_at: timestamp(delivery.deliveredAt),
    redelivery: delivery.redelivery,
    duration: delivery.durationMs / 1000,
    status: delivery.status,
    status_code: delivery.statusCode,
    event: delivery.event,
    action: delivery.action,
    installation_id: delivery.installationId,
    repository_id: delivery.repositoryId,
    throttled_at: null,
  };
}

function wholeView(delivery: Delivery): Json {
  return {
    ...itemView(delivery),
    url: delivery.url,
    request: { headers: delivery.requestHeaders, payload: delivery.payload },
    response: { headers: delivery.responseHeaders, payload: delivery.responseBody },
  };
}

function configView(context: RestContext): Json {
  const { hook } = context.state;
  return {
    content_type: hook.contentType,
    insecure_ssl: '0',
    secret: '********',
    ...(hook.url === null ? {} : { url: hook.url }),
  };
}

export function createDeliveryRoutes(hooks: Hooks): readonly Route[] {
  const visible = (context: RestContext): Delivery[] => {
    const oldest = context.state.now().getTime() - WINDOW_MS;
    return hooks.list
      .filter((delivery) => delivery.deliveredAt.getTime() >= oldest)
      .toSorted((a, b) => b.id - a.id);
  };
  const one = (context: RestContext): Delivery => {
    const found = visible(context).find(
      (delivery) => delivery.id === Number(param(context, 'delivery_id')),
    );
    if (!found) throw notFound();
    return found;
  };
  const list = (context: RestContext): Reply => {
    const wanted = context.request.query['status'];
    const chosen = visible(context).filter(
      (delivery) => wanted === undefined || (delivery.status === 'OK') === (wanted === 'success'),
    );
    const page = cursorPage(context, chosen);
    return ok(page.items.map(itemView), page.headers);
  };
  const patchConfig = (context: RestContext): Reply => {
    const { hook } = context.state;
    hook.url = textIn(context, 'url') ?? hook.url;
    hook.secret = textIn(context, 'secret') ?? hook.secret;
    hook.contentType = textIn(context, 'content_type') === 'json' ? 'json' : 'form';
    return ok(configView(context));
  };
  return [
    {
      method: 'GET',
      path: '/app/hook/config',
      auth: 'jwt',
      handle: (context) => ok(configView(context)),
    },
    { method: 'PATCH', path: '/app/hook/config', auth: 'jwt', handle: patchConfig },
    { method: 'GET', path: '/app/hook/deliveries', auth: 'jwt', handle: list },
    {
      method: 'GET',
      path: '/app/hook/deliveries/{delivery_id}',
      auth: 'jwt',
      handle: (context) => ok(wholeView(one(context))),
    },
    {
      method: 'POST',
      path: '/app/hook/deliveries/{delivery_id}/attempts',
      auth: 'jwt',
      handle: (context) => {
        const { guid } = one(context);
        if (context.state.hook.url === null) throw new Refused(422, 'The hook has no URL');
        hooks.background(() => hooks.redeliver(guid));
        return { status: 202, body: {} };
      },
    },
  ];
}
