import { isOurs, messageOf, post, publicKey, readShop, writeShop } from './shop.js'

// Web push in the service worker of a shop: `importScripts` of this file is all that the worker needs.
const text = (value, most) => (typeof value === 'string' ? value.trim().slice(0, most) : '')
const webUrl = (value) => {
  try {
    const { protocol, href } = new URL(value)
    return /^https?:$/.test(protocol) && href.length <= 4_096 ? href : null
  } catch {
    return null
  }
}

/** What a push says; null where it is none of ours. */
const read = (data) => {
  try {
    const push = data.json()
    const [title, body, tag] = [text(push.title, 255), text(push.body, 1_000), text(push.tag, 64)]
    if (!title || !body) return null
    const icon = webUrl(push.icon)
    return { title, options: { body, ...(tag && { tag }), ...(icon && { icon }), data: { tidings: { url: webUrl(push.url) } } } }
  } catch {
    return null
  }
}

self.addEventListener('push', (event) => {
  const message = read(event.data)
  // The same tag again, which is a second delivery of one message, replaces the notification.
  if (message) event.waitUntil(self.registration.showNotification(message.title, message.options))
})

const open = async (url) => {
  // The address leads through the service, which counts the click.
  if (url) return self.clients.openWindow(url)
  const [window] = await self.clients.matchAll({ type: 'window', includeUncontrolled: true })
  return window ? window.focus() : self.clients.openWindow('/')
}
self.addEventListener('notificationclick', (event) => {
  const { notification } = event
  if (!notification.data?.tidings) return
  notification.close()
  event.waitUntil(open(notification.data.tidings.url))
})

const renew = async ({ newSubscription }) => {
  const shop = await readShop()
  if (!shop.endpoint) return
  const { pushManager } = self.registration
  const known = newSubscription ?? (await pushManager.getSubscription())
  // The browser renews under the key of before, which may be replaced: it takes one subscription, and none under a second key beside it.
  const kept = known && isOurs(known) ? known : null
  if (known && !kept) await known.unsubscribe()
  const subscription = kept ?? (await pushManager.subscribe({ userVisibleOnly: true, applicationServerKey: publicKey }))
  // Where this fails, the next visit of the shop reports it.
  await post(shop.endpoint, messageOf(subscription, shop))
  await writeShop({ ...shop, reported: subscription.endpoint })
}
self.addEventListener('pushsubscriptionchange', (event) => event.waitUntil(renew(event)))
