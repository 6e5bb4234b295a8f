import { NativeSelect, TextInput } from '@mantine/core'
import { shownOptions, useLists } from '../../ui/choices.ts'
import { Problem } from '../../ui/problem.tsx'
import { useWords } from '../../words/words.tsx'
import type { Draft, TriggerDraft } from './draft.ts'
import type { mistakeIn } from './problems.ts'

const TYPES: readonly TriggerDraft['type'][] = ['contact_created', 'list_joined', 'custom_event']

type Props = Readonly<{ draft: Draft; onChange: (draft: Draft) => void; mistake: ReturnType<typeof mistakeIn> }>

/** What lets somebody into the flow. */
export function TriggerFields({ draft, onChange, mistake }: Props) {
  const { flows: words, flowForm, campaign } = useWords()
  const { trigger } = draft
  const { data: lists = [], error, refetch } = useLists()
  const change = (to: Partial<TriggerDraft>): void => onChange({ ...draft, trigger: { ...trigger, ...to } })
  const options = lists.map(({ id, name }) => ({ value: id, label: name }))
  return (
    <>
      <NativeSelect
        label={words.trigger}
        value={trigger.type}
        data={TYPES.map((value) => ({ value, label: flowForm.triggers[value] }))}
        onChange={(event) => change({ type: TYPES.find((type) => type === event.currentTarget.value) ?? 'contact_created' })}
      />
      {trigger.type === 'list_joined' && (
        <NativeSelect
          label={campaign.list}
          value={trigger.list}
          error={mistake === 'list' && flowForm.mistakes.list}
          data={[{ value: '', label: campaign.none }, ...shownOptions(options, trigger.list)]}
          onChange={(event) => change({ list: event.currentTarget.value })}
        />
      )}
      {trigger.type === 'custom_event' && (
        <TextInput
          label={flowForm.event}
          dir="auto"
          maxLength={128}
          value={trigger.event}
          error={mistake === 'event' && flowForm.mistakes.event}
          onChange={(event) => change({ event: event.currentTarget.value })}
        />
      )}
      {error && <Problem error={error} onRetry={() => void refetch()} />}
    </>
  )
}
