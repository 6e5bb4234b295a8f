const sentences: Readonly<Record<string, string>> = {
  WorkspaceCreated: 'created the workspace',
  WorkspaceSettingsChanged: 'changed the settings',
  ApiKeyCreated: 'created an API key',
  UserConfigured: 'set a user',
  CreditsAdded: 'added credits',
  CustomFieldConfigured: 'set a custom field',
  SenderDomainConfigured: 'set a sender domain',
  SenderAddressConfigured: 'set a sender address',
  SmsSenderIdRequested: 'asked for an SMS sender ID',
  SmsSenderIdApproved: 'approved an SMS sender ID',
  SmsSenderIdRejected: 'rejected an SMS sender ID',
  TemplateCreated: 'created a template',
  TemplateContentChanged: 'changed a template',
  TemplateArchived: 'archived a template',
  TemplateRestored: 'restored a template',
  ListCreated: 'created a list',
  ListRuleChanged: 'set the rule of a list',
  TagCreated: 'created a tag',
  TagColorChanged: 'changed the color of a tag',
  CampaignCreated: 'created a campaign',
  CampaignChanged: 'changed a campaign',
  WorkspaceFeaturesSet: 'set the features',
  FormOriginsSet: 'set the origins of embedded forms',
  FormConfigured: 'set an embedded form',
  SmsRepliesSet: 'set the answers to SMS keywords',
  ConnectorConfigured: 'set a connector',
  MarketingRulesChanged: 'changed the rules of marketing messages',
  FlowDefined: 'set a flow',
  FlowRetired: 'retired a flow',
  FlowRestored: 'restored a flow',
  CustomEventDeclared: 'set a custom event',
}

/** What an event that applying a file wrote did, for people. */
export function sentenceOf(type: string, what: string): string {
  return `${sentences[type] ?? type}: ${what}`
}
