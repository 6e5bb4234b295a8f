import { Button, Textarea } from '@mantine/core'
import { useWords } from '../../words/words.tsx'
import { hasRoom, replaced, without } from './draft.ts'
import { Group } from './group.tsx'
import { type RuleDraft, readRule, toggled } from './rule-draft.ts'

/** A rule, built of conditions or written as JSON, and what is wrong with it. */
export function RuleFields({ draft, onChange }: Readonly<{ draft: RuleDraft; onChange: (draft: RuleDraft) => void }>) {
  const { rules: words } = useWords()
  const { group, text } = draft
  const other = toggled(draft)
  const { mistake } = readRule(draft)
  return (
    <>
      {text === null ? (
        <Group
          group={group}
          number=""
          depth={1}
          hasRoom={hasRoom(group)}
          onChange={(part) => onChange({ ...draft, group: replaced(group, part) })}
          onRemove={(key) => onChange({ ...draft, group: without(group, key) })}
        />
      ) : (
        <Textarea
          label={words.json}
          dir="ltr"
          rows={14}
          value={text}
          onChange={(event) => onChange({ ...draft, text: event.currentTarget.value })}
        />
      )}
      <div>
        <Button
          variant="default"
          onClick={() => other !== null && onChange(other)}
          disabled={other === null}
          title={other === null ? words.onlyJson : ''}
        >
          {text === null ? words.asJson : words.asForm}
        </Button>
      </div>
      {mistake !== null && (
        <p role="status">
          <bdi lang="en">{mistake}</bdi>
        </p>
      )}
    </>
  )
}
