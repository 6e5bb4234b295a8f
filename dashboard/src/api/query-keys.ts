/** The first word of what is kept about each thing: a write makes all that begins with it out of date. */
export const keys = {
  session: ['session'],
  account: ['account'],
  overview: ['overview'],
  profiles: ['profiles'],
  messages: ['messages'],
  lists: ['lists'],
  templates: ['templates'],
  campaigns: ['campaigns'],
  senders: ['senders'],
  flows: ['flows'],
  credits: ['credits'],
  webhooks: ['webhooks'],
  tokens: ['tokens'],
  audit: ['audit'],
  people: ['people'],
  workspace: ['workspace'],
} as const
