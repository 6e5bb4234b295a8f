import type { EditedTemplate } from '../../api/calls.ts'

/** The texts of a template as its form has them: nothing is null while somebody types. */
export type Draft = Readonly<
  Record<'subject' | 'html' | 'text' | 'body' | 'fromName' | 'pushTitle' | 'pushBody' | 'pushUrl' | 'pushIcon', string>
>

type Content = EditedTemplate['content']
export type Channel = EditedTemplate['channel']

export function draftOf({ subject, html, text, body, fromName, push }: Content): Draft {
  return {
    subject: subject ?? '',
    html: html ?? '',
    text: text ?? '',
    body: body ?? '',
    fromName: fromName ?? '',
    pushTitle: push?.title ?? '',
    pushBody: push?.body ?? '',
    pushUrl: push?.url ?? '',
    pushIcon: push?.icon ?? '',
  }
}

const given = <Name extends string>(name: Name, value: string): Readonly<Partial<Record<Name, string>>> => {
  const one: Partial<Record<Name, string>> = {}
  if (value !== '') one[name] = value
  return one
}

/** What the API takes of the texts of a channel; an empty text that the channel does not need is none. */
export function textsOf(channel: Channel, draft: Draft) {
  const named = given('fromName', draft.fromName)
  if (channel === 'sms') return { body: draft.body, ...named }
  if (channel === 'email') return { subject: draft.subject, html: draft.html, ...given('text', draft.text), ...named }
  const { pushTitle: title, pushBody: body, pushUrl, pushIcon } = draft
  return { push: { title, body, ...given('url', pushUrl), ...given('icon', pushIcon) }, ...named }
}

export function isSame(one: Draft, other: Draft): boolean {
  return JSON.stringify(one) === JSON.stringify(other)
}

/** All texts of a channel as one, for a look at what differs. */
export function asText(channel: Channel, draft: Draft): string {
  const texts = Object.entries(textsOf(channel, draft)).flatMap(([name, value]) =>
    typeof value === 'string' ? [[name, value]] : Object.entries(value).map(([part, text]) => [`${name}.${part}`, text]),
  )
  return texts.map(([name, text]) => `${name}:\n${text}`).join('\n\n')
}
