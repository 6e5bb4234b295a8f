import { managesApiKeys } from '@tidings/domain'

/** Every route that manages keys asks for a session, allows 20 requests a minute (N562), and then checks the role. */
export const keyRoute = { access: 'session', role: managesApiKeys, throttle: 20, dashboard: { role: 'admin' } } as const
