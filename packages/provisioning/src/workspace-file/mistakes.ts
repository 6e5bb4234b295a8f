import { asciiDomain, domainName, emailKey, isCountry, isValidEmail } from '@tidings/addresses'
import {
  isReservedEventName,
  isReservedSenderId,
  isTimezone,
  isVisible,
  keywordForm,
  optionsMistake,
  parseSteps,
  RuleMistake,
  StepMistake,
  smsKeyword,
} from '@tidings/domain'
import { wrongMergeTag } from '@tidings/mail-content'
import { missingConfirmation } from './confirmation-of-all.ts'
import { formOrigin } from './form-origin.ts'
import { ruleOfFile } from './rule-of-file.ts'
import type { TemplateOfFile, WorkspaceFile } from './schema.ts'
import { wrongSenderNumbers } from './sender-number.ts'

const naturalKeys = (file: WorkspaceFile): Readonly<Record<string, readonly string[]>> => ({
  features: file.features ?? [],
  formOrigins: (file.formOrigins ?? []).map((origin) => formOrigin(origin) ?? origin),
  users: (file.users ?? []).map(({ email }) => emailKey(email)),
  apiKeys: (file.apiKeys ?? []).map(({ name }) => name),
  senderDomains: (file.senderDomains ?? []).map(({ domain }) => asciiDomain(domain)),
  senderAddresses: (file.senderAddresses ?? []).map(({ email }) => emailKey(email)),
  smsSenderIds: (file.smsSenderIds ?? []).map(({ id }) => id.toLowerCase()),
  customFields: (file.customFields ?? []).map(({ key }) => key),
  templates: (file.templates ?? []).map(({ name }) => name),
  lists: (file.lists ?? []).map(({ name }) => name),
  tags: (file.tags ?? []).map(({ name }) => name.trim()),
  campaigns: (file.campaigns ?? []).map(({ name }) => name),
  customEvents: (file.customEvents ?? []).map(({ name }) => name),
  connectors: (file.connectors ?? []).map(({ name }) => name),
  forms: (file.forms ?? []).map(({ id }) => id),
  flows: (file.flows ?? []).map(({ name }) => name),
})

/** The index of the first value that repeats an earlier one; -1 where none does. */
const repetition = (values: readonly string[]): number => {
  const seen = new Set<string>()
  return values.findIndex((value) => seen.size === seen.add(value).size)
}

function* repeated(file: WorkspaceFile): Iterable<string> {
  for (const [section, values] of Object.entries(naturalKeys(file))) {
    const again = repetition(values)
    if (again >= 0) yield `${section}[${again}] repeats "${values[again]}"`
  }
}

/** By these names people know the records; the labels and the name of the workspace are for people alone. */
function* unseenNames(file: WorkspaceFile): Iterable<string> {
  const { workspace, customFields = [] } = file
  if (!isVisible(workspace.name)) yield 'workspace.name shows nothing: write a name that a reader sees'
  for (const [section, values] of Object.entries({ ...naturalKeys(file), 'customFields label': customFields.map(({ label }) => label) })) {
    const unseen = values.findIndex((value) => !isVisible(value))
    if (unseen >= 0) yield `${section}[${unseen}] shows nothing: write a name that a reader sees`
  }
}

function* ofLists({ lists = [], forms = [] }: WorkspaceFile): Iterable<string> {
  for (const [i, { type, rule }] of lists.entries()) {
    const path = `lists[${i}].rule`
    if (type === 'dynamic') yield* rule === undefined ? [`${path} is missing: a dynamic list has one`] : mistakeIn(rule, path)
    else if (rule !== undefined) yield `${path} is not a field of a static list`
  }
  const dynamic = new Set(lists.filter(({ type }) => type === 'dynamic').map(({ name }) => name))
  const joined = forms.findIndex(({ list }) => dynamic.has(list))
  if (joined >= 0) yield `forms[${joined}].list: "${forms[joined]?.list}" is a dynamic list, whose members follow its rule`
}

function* mistakeIn(rule: unknown, path: string): Iterable<string> {
  try {
    ruleOfFile(rule, path)
  } catch (error) {
    if (!(error instanceof RuleMistake)) throw error
    yield error.message
  }
}

function* ofCustomFields({ customFields = [] }: WorkspaceFile): Iterable<string> {
  for (const [i, { kind, options = [] }] of customFields.entries()) {
    const mistake = optionsMistake({ kind, options })
    if (mistake !== null) yield `customFields[${i}].${mistake}`
  }
}

function* ofNames({ smsSenderIds = [], customEvents = [] }: WorkspaceFile): Iterable<string> {
  for (const [i, { id }] of smsSenderIds.entries())
    if (isReservedSenderId(id)) yield `smsSenderIds[${i}].id: "${id}" is a shared name that no workspace can have`
  for (const [i, { name }] of customEvents.entries())
    if (isReservedEventName(name)) yield `customEvents[${i}].name: "${name}" is a built-in event, use another name`
}

function* ofFormOrigins({ formOrigins = [] }: WorkspaceFile): Iterable<string> {
  for (const [i, origin] of formOrigins.entries())
    if (formOrigin(origin) === null)
      yield `formOrigins[${i}]: "${origin}" is no origin: write scheme, host and port alone, like https://shop.example`
}

function* ofForms(file: WorkspaceFile): Iterable<string> {
  const { forms = [] } = file
  const missing = missingConfirmation(file)
  if (missing !== null) yield missing
  for (const [i, form] of forms.entries())
    for (const field of ['template', 'from'] as const) {
      if (form.doubleOptIn && form[field] === undefined) yield `forms[${i}].${field} is missing: a form with doubleOptIn sends a mail`
      if (!form.doubleOptIn && form[field] !== undefined) yield `forms[${i}].${field} is only a field of a form with doubleOptIn`
    }
}

function* ofFlows({ flows = [], timezone }: WorkspaceFile): Iterable<string> {
  if (timezone !== undefined && !isTimezone(timezone))
    yield `timezone: "${timezone}" is no time zone: write a name of IANA, like Asia/Jerusalem`
  for (const [i, { steps }] of flows.entries()) {
    try {
      parseSteps(steps, `flows[${i}].steps`, ruleOfFile)
    } catch (error) {
      if (!(error instanceof StepMistake || error instanceof RuleMistake)) throw error
      yield error.message
    }
  }
}

/** What a schema cannot say: the first mistake of the file in one sentence, undefined where there is none. */
export function firstMistake(file: WorkspaceFile): string | undefined {
  const rules = [
    wrongAddresses,
    repeated,
    unseenNames,
    ofLists,
    ofCustomFields,
    ofNames,
    wrongSenderNumbers,
    ofFormOrigins,
    ofForms,
    wrongReplies,
    wrongCampaigns,
    wrongMergeTags,
    ofFlows,
  ]
  for (const rule of rules) for (const sentence of rule(file)) return sentence
  return undefined
}

/** Addresses that cannot be used to send or to log in, and a country whose local numbers cannot be parsed (G14, G41). */
function* wrongAddresses({ country, users = [], senderDomains = [], senderAddresses = [] }: WorkspaceFile): Iterable<string> {
  if (country !== undefined && !isCountry(country)) yield `country: "${country}" is no country: write the two letters of ISO 3166, like IL`
  for (const [i, { email }] of users.entries()) if (!isValidEmail(email.trim())) yield `users[${i}].email: "${email}" is no email address`
  for (const [i, { domain }] of senderDomains.entries())
    if (domainName(domain.trim()) === null) yield `senderDomains[${i}].domain: "${domain}" is no domain that an email address can be in`
  for (const [i, { email }] of senderAddresses.entries())
    if (!isValidEmail(email.trim())) yield `senderAddresses[${i}].email: "${email}" is no email address`
}

/** A campaign with variants whose templates contradict each other (D17). */
function* wrongCampaigns({ campaigns = [] }: WorkspaceFile): Iterable<string> {
  for (const [i, { template, variants = 1 }] of campaigns.entries()) {
    if (typeof variants === 'number') continue
    if (template !== undefined) yield `campaigns[${i}].template is not a field of a campaign with a list of variants: each has its own`
    const names = variants.map((variant) => variant.template)
    const again = names.findIndex((name, n) => names.indexOf(name) < n)
    if (again >= 0) yield `campaigns[${i}].variants[${again}] repeats "${names[again]}"`
  }
}

/** The texts of a template by their path below it. */
const textsOf = (template: TemplateOfFile): readonly (readonly [string, string | undefined])[] => {
  if (template.channel === 'sms') return [['body', template.body]]
  if (template.channel === 'push') return Object.entries(template.push).map(([field, text]) => [`push.${field}`, text])
  const { subject, html, text, fromName } = template
  return [
    ['subject', subject],
    ['html', html],
    ['text', text],
    ['fromName', fromName],
  ]
}

/** Merge tags that can never resolve: its reader would see the braces (M52). */
function* wrongMergeTags({ templates = [] }: Pick<WorkspaceFile, 'templates'>): Iterable<string> {
  for (const [i, template] of templates.entries())
    for (const [field, text] of textsOf(template)) {
      const mistake = wrongMergeTag({ field: `templates[${i}].${field}`, text })
      if (mistake !== null) yield mistake
    }
}

/** Answers that are keywords themselves, as two services that answer each other would never end; words that cannot mean STOP. */
function* wrongReplies({ smsReplies = {}, stopWords = [] }: WorkspaceFile): Iterable<string> {
  for (const [keyword, text] of Object.entries(smsReplies))
    if (smsKeyword(text, stopWords) !== null)
      yield `smsReplies.${keyword}: "${text.trim()}" is a keyword itself, which the other side may answer`
  for (const [i, word] of stopWords.entries()) {
    if (keywordForm(word) === '') yield `stopWords[${i}]: "${word}" has no letter or digit`
    const means = smsKeyword(word)
    if (means === 'start' || means === 'help') yield `stopWords[${i}]: "${word}" is a keyword that means ${means.toUpperCase()}`
  }
}
