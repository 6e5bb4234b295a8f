// Builds every path of the dashboard, and reads none: what a screen links to stands here. Its snapshot is the map of the dashboard.

const inside = (slug: string) => `/dashboard/w/${encodeURIComponent(slug)}`
const withId = (id: string) => encodeURIComponent(id)

export const paths = {
  home: () => '/dashboard',
  login: (back?: string) => (back === undefined ? '/dashboard/login' : `/dashboard/login?back=${encodeURIComponent(back)}`),
  link: () => '/dashboard/link',
  choosePassword: () => '/dashboard/password',
  verify: () => '/dashboard/verify',
  mailbox: () => '/dev/mailbox',
  overview: (slug: string) => inside(slug),
  profiles: (slug: string) => `${inside(slug)}/profiles`,
  profile: (slug: string, id: string) => `${inside(slug)}/profiles/${withId(id)}`,
  messages: (slug: string) => `${inside(slug)}/messages`,
  message: (slug: string, id: string) => `${inside(slug)}/messages/${withId(id)}`,
  lists: (slug: string) => `${inside(slug)}/lists`,
  list: (slug: string, id: string) => `${inside(slug)}/lists/${withId(id)}`,
  newList: (slug: string) => `${inside(slug)}/lists/new`,
  listRule: (slug: string, id: string) => `${inside(slug)}/lists/${withId(id)}/rule`,
  templates: (slug: string) => `${inside(slug)}/templates`,
  template: (slug: string, id: string) => `${inside(slug)}/templates/${withId(id)}`,
  campaigns: (slug: string) => `${inside(slug)}/campaigns`,
  newCampaign: (slug: string, copyOf?: string) => `${inside(slug)}/campaigns/new${copyOf === undefined ? '' : `?of=${withId(copyOf)}`}`,
  campaign: (slug: string, id: string) => `${inside(slug)}/campaigns/${withId(id)}`,
  editCampaign: (slug: string, id: string) => `${inside(slug)}/campaigns/${withId(id)}/edit`,
  senders: (slug: string) => `${inside(slug)}/senders`,
  erasures: (slug: string) => `${inside(slug)}/erasures`,
  erasure: (slug: string, id: string) => `${inside(slug)}/erasures/${withId(id)}`,
  proofs: (slug: string) => `${inside(slug)}/proofs`,
  flows: (slug: string) => `${inside(slug)}/flows`,
  newFlow: (slug: string) => `${inside(slug)}/flows/new`,
  editFlow: (slug: string, id: string) => `${inside(slug)}/flows/${withId(id)}/edit`,
  flow: (slug: string, id: string, person?: string) =>
    `${inside(slug)}/flows/${withId(id)}${person === undefined ? '' : `?person=${withId(person)}`}`,
  events: (slug: string) => `${inside(slug)}/events`,
  forms: (slug: string) => `${inside(slug)}/forms`,
  form: (slug: string, id: string) => `${inside(slug)}/forms/${withId(id)}`,
  webhooks: (slug: string) => `${inside(slug)}/webhooks`,
  webhook: (slug: string, id: string) => `${inside(slug)}/webhooks/${withId(id)}`,
  webhookDelivery: (slug: string, id: string, delivery: string) => `${inside(slug)}/webhooks/${withId(id)}/${withId(delivery)}`,
  credits: (slug: string) => `${inside(slug)}/credits`,
  deadLetters: (slug: string) => `${inside(slug)}/dead-letters`,
  me: (slug: string) => `${inside(slug)}/me`,
  people: (slug: string) => `${inside(slug)}/settings/people`,
  workspace: (slug: string) => `${inside(slug)}/settings/workspace`,
  fields: (slug: string) => `${inside(slug)}/settings/fields`,
  tags: (slug: string) => `${inside(slug)}/settings/tags`,
  connectors: (slug: string) => `${inside(slug)}/settings/connectors`,
  file: (slug: string) => `${inside(slug)}/settings/file`,
  audit: (slug: string) => `${inside(slug)}/settings/audit`,
  tokens: (slug: string) => `${inside(slug)}/settings/tokens`,
  system: () => '/dashboard/system',
  systemProjections: () => '/dashboard/system/projections',
  systemWorkspaces: () => '/dashboard/system/workspaces',
  systemWorkspace: (slug: string) => `/dashboard/system/workspaces/${encodeURIComponent(slug)}`,
  systemApprovals: () => '/dashboard/system/approvals',
  systemDeadLetters: () => '/dashboard/system/dead-letters',
  systemAudit: () => '/dashboard/system/audit',
  systemMe: () => '/dashboard/system/me',
} as const

/** Where a sign-in leads back to: a page of the dashboard, whatever else the address says. */
export function safeBack(back: string | null): string {
  if (back === null || !/^\/dashboard(\/|\?|$)/.test(back)) return paths.home()
  const { origin, pathname, search } = new URL(back, 'http://dashboard.invalid')
  const isOurs = origin === 'http://dashboard.invalid' && /^\/dashboard(\/|$)/.test(pathname)
  return isOurs && !/^\/dashboard\/(login|link)$/.test(pathname) ? pathname + search : paths.home()
}
