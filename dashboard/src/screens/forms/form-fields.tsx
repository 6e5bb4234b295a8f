import { Checkbox, NativeSelect } from '@mantine/core'
import { shownOptions, useLists, useSenders, useTemplates } from '../../ui/choices.ts'
import { Problem } from '../../ui/problem.tsx'
import { useWords } from '../../words/words.tsx'
import type { Draft } from './draft.ts'

type Props = Readonly<{ draft: Draft; onChange: (next: Draft) => void }>

/** The list that people join, and whether they are asked to confirm first. */
export function FormFields({ draft, onChange }: Props) {
  const { forms: words } = useWords()
  const { data: lists, error, refetch } = useLists()
  const options = (lists ?? []).filter(({ type }) => type === 'static').map(({ id, name }) => ({ value: id, label: name }))
  return (
    <>
      <NativeSelect
        label={words.list}
        description={lists !== undefined && options.length === 0 ? words.noList : words.listHelp}
        value={draft.listId}
        data={[{ value: '', label: words.choose }, ...shownOptions(options, draft.listId)]}
        onChange={(event) => onChange({ ...draft, listId: event.currentTarget.value })}
      />
      {error && <Problem error={error} onRetry={() => void refetch()} />}
      <Checkbox
        label={words.asks}
        description={words.asksHelp}
        checked={draft.asks}
        onChange={(event) => onChange({ ...draft, asks: event.currentTarget.checked })}
      />
      {draft.asks && <MailFields draft={draft} onChange={onChange} />}
    </>
  )
}

function MailFields({ draft, onChange }: Props) {
  const { forms: words } = useWords()
  const templates = useTemplates()
  const senders = useSenders('email')
  const mails = (templates.data ?? []).filter(({ channel, mergeFields }) => channel === 'email' && mergeFields.includes('confirmUrl'))
  const error = templates.error ?? senders.error
  const askAgain = (): void => {
    void templates.refetch()
    void senders.refetch()
  }
  return (
    <>
      <NativeSelect
        label={words.template}
        description={words.templateHelp}
        value={draft.templateId}
        data={[{ value: '', label: words.choose }, ...shownOptions(mails, draft.templateId)]}
        onChange={(event) => onChange({ ...draft, templateId: event.currentTarget.value })}
      />
      <NativeSelect
        label={words.from}
        description={senders.data?.length === 0 ? words.noSender : undefined}
        value={draft.from}
        data={[{ value: '', label: words.choose }, ...shownOptions(senders.data ?? [], draft.from)]}
        onChange={(event) => onChange({ ...draft, from: event.currentTarget.value })}
      />
      {error && <Problem error={error} onRetry={askAgain} />}
    </>
  )
}
