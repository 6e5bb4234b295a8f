// The types of the API, as the browser sees them: of packages/contracts, as types alone.
export type {
  ApiKey,
  AskedDelivery,
  Audience,
  Campaign,
  CampaignFigures,
  CampaignOption,
  CampaignPreview,
  CheckedTemplate,
  Checklist,
  ContactConsent,
  CustomFieldOption,
  DnsRecord,
  EditedList,
  EditedTemplate,
  ExampleData,
  Figures,
  FlowsOfPerson,
  FoundMessage,
  InvitedPerson,
  LibraryTemplate,
  List,
  ListedPerson,
  ListsOfPerson,
  MessageRecord,
  MessageSearchPage,
  MessageStory,
  Overview,
  Page,
  Profile,
  ProfileBody,
  RuleCount,
  SenderAddressOption,
  SenderAddressStatus,
  SenderDomainStatus,
  Senders,
  SignedDelivery,
  SignedIn,
  SignInLink,
  SmsSenderStatus,
  TemplateOption,
  TimelineEntry,
  TimelinePage,
  WatchedWebhook,
  WebhookDelivery,
  WebhookTry,
  WebhookTryPage,
  WorkspaceSettings,
} from '@tidings/contracts'

/** A query string of what is given; what is empty or undefined is left out. */
export function queryOf(parameters: Readonly<Record<string, string | number | undefined>>): string {
  const given = Object.entries(parameters).flatMap(([name, value]) =>
    value === undefined || value === '' ? [] : [[name, String(value)] satisfies [string, string]],
  )
  const text = new URLSearchParams(given).toString()
  return text === '' ? '' : `?${text}`
}
