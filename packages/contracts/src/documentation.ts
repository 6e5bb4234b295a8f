/** The tags of the routes, in the order in which the OpenAPI document shows them. */
export const apiTags = [
  { name: 'workspace', description: 'Validate the credentials, and read the workspace that they belong to.' },
  { name: 'profiles', description: 'Create, find and change contacts, and suppress them.' },
  { name: 'lists', description: 'Read lists of contacts, and change the members of static ones.' },
  { name: 'tags', description: 'Read and create the labels of campaigns, flows, templates and lists.' },
  { name: 'messages', description: 'Send transactional messages, and read what became of them.' },
  { name: 'otp', description: 'Send one-time passcodes, and verify them.' },
  { name: 'events', description: 'Report what contacts do.' },
  { name: 'auth', description: 'Sign in as a user of a workspace, and out again.' },
  { name: 'api keys', description: 'Create, revoke and delete API keys, signed in as an owner or admin.' },
  { name: 'contacts', description: 'Read what is known about a contact and why, signed in as a user.' },
  { name: 'integrations', description: 'Report events of connected stores, reviews and loyalty programmes.' },
  { name: 'webhooks', description: 'Manage the endpoints that events are delivered to.' },
  { name: 'push', description: 'Register browsers for web push.' },
  { name: 'forms', description: 'Take the sign-ups of embedded forms.' },
  { name: 'lookups', description: 'Read the entries of pickers: templates, senders, campaigns, custom fields, events.' },
] as const

/** The tags of what only the dashboard asks for. */
export const dashboardTags: readonly Readonly<{ name: string; description: string }>[] = [
  { name: 'overview', description: 'See what was counted, what needs somebody and what runs.' },
  { name: 'flows', description: 'See who is where in a flow, and stop it.' },
  { name: 'people', description: 'Invite users of the workspace, and change what they may do.' },
]
