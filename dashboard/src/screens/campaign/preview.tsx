import { Button, NativeSelect, Tabs, TextInput } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { useId, useState } from 'react'
import type { Campaign, CampaignPreview } from '../../api/calls.ts'
import { Facts } from '../../ui/facts.tsx'
import { MailFrame, MailWithImages } from '../../ui/mail-frame.tsx'
import { Problem } from '../../ui/problem.tsx'
import { Time } from '../../ui/time.tsx'
import { useWords } from '../../words/words.tsx'
import { previewAddress, useFirstMember, usePreview, useTestCopy } from './campaign.api.ts'
import styles from './campaign.module.css'

/** What one person would get, and what would keep it back; by default the newest member of the list. */
export function Preview({ campaign }: Readonly<{ campaign: Campaign }>) {
  const { campaign: words } = useWords()
  const titleId = useId()
  const [text, setText] = useState('')
  const [variant, setVariant] = useState<number | null>(null)
  const [typed] = useDebouncedValue(text.trim(), 400)
  const { data: first } = useFirstMember(campaign.listId)
  const contact = typed === '' ? (first ?? null) : typed
  const { data, error, refetch } = usePreview({ campaign, contact, variant })
  return (
    <section aria-labelledby={titleId} className={styles.preview}>
      <h2 id={titleId} className={styles.title}>
        {words.preview}
      </h2>
      <div className={styles.row}>
        <TextInput
          label={words.asPerson}
          placeholder={words.asPersonHelp}
          dir="ltr"
          value={text}
          maxLength={320}
          w={320}
          maw="100%"
          onChange={(event) => setText(event.currentTarget.value)}
        />
        {campaign.variants.length > 1 && <VariantField campaign={campaign} value={variant} onChange={setVariant} />}
        <TestCopy campaign={campaign} variant={variant} />
      </div>
      {contact === null && <p>{words.noPreview}</p>}
      {error && <Problem error={error} onRetry={() => void refetch()} />}
      {data && !error && <Shown campaign={campaign} preview={data} />}
    </section>
  )
}

type VariantProps = Readonly<{ campaign: Campaign; value: number | null; onChange: (variant: number | null) => void }>

function VariantField({ campaign, value, onChange }: VariantProps) {
  const { campaign: words } = useWords()
  const options = campaign.templates.map(({ name, id }, index) => ({ value: String(index + 1), label: `${index + 1}. ${name ?? id}` }))
  return (
    <NativeSelect
      label={words.variant}
      value={value ?? ''}
      data={[{ value: '', label: words.ownVariant }, ...options]}
      onChange={(event) => onChange(event.currentTarget.value === '' ? null : Number(event.currentTarget.value))}
    />
  )
}

function Shown({ campaign, preview }: Readonly<{ campaign: Campaign; preview: CampaignPreview }>) {
  const { campaign: words, mailbox } = useWords()
  const { contactId, variant, to, from, fromName, subject, body, hasText, segments, credits } = preview
  const address = (part: 'html' | 'text', images: boolean) => previewAddress(campaign.id, contactId, { variant, part, images })
  const sender = (
    <bdi key="from" dir="ltr">
      {fromName === null ? from : `${fromName} <${from}>`}
    </bdi>
  )
  const recipient = (
    <bdi key="to" dir="ltr">
      {to}
    </bdi>
  )
  return (
    <>
      <Block preview={preview} />
      <Facts
        items={[
          [mailbox.from, sender],
          [mailbox.to, recipient],
          ...(subject === null
            ? [[words.price, words.priceOf(segments, credits)] as const]
            : [[mailbox.subject, <bdi key="s">{subject}</bdi>] as const]),
        ]}
      />
      {body !== null && (
        <p className={styles.text}>
          <bdi>{body}</bdi>
        </p>
      )}
      {body === null && (
        <Tabs defaultValue="html" keepMounted={false}>
          <Tabs.List>
            <Tabs.Tab value="html">{mailbox.html}</Tabs.Tab>
            <Tabs.Tab value="text" disabled={!hasText}>
              {mailbox.text}
            </Tabs.Tab>
          </Tabs.List>
          <Tabs.Panel value="html" pt="sm">
            <MailWithImages addressOf={(images) => address('html', images)} title={mailbox.html} />
          </Tabs.Panel>
          <Tabs.Panel value="text" pt="sm">
            <MailFrame address={address('text', false)} title={mailbox.text} />
          </Tabs.Panel>
        </Tabs>
      )}
    </>
  )
}

/** What would keep it back, in one sentence. */
function Block({ preview: { block } }: Readonly<{ preview: CampaignPreview }>) {
  const { campaign: words } = useWords()
  if (block === null) return <p role="status">● {words.wouldBeSent}</p>
  return (
    <p role="status">
      ▲ {words.wouldBe[block.outcome]} <bdi lang="en">{block.reason}</bdi>
      {block.until !== null && (
        <>
          {' · '}
          <Time at={block.until} />
        </>
      )}
    </p>
  )
}

/** A copy of a mail goes to the reader of the page; that of a text to the number that they give. */
function TestCopy({ campaign, variant }: Readonly<{ campaign: Campaign; variant: number | null }>) {
  const { campaign: words } = useWords()
  const [phone, setPhone] = useState('')
  const sending = useTestCopy(campaign.id)
  const isText = campaign.channel === 'sms'
  const submit = (): void => sending.mutate({ ...(isText && { to: phone }), ...(variant !== null && { variant }) })
  return (
    <>
      {isText && (
        <TextInput
          label={words.testPhone}
          type="tel"
          dir="ltr"
          value={phone}
          maxLength={64}
          onChange={(event) => setPhone(event.currentTarget.value)}
        />
      )}
      <Button variant="default" loading={sending.isPending} disabled={isText && phone.trim() === ''} onClick={submit}>
        {isText ? words.testText : words.testMail}
      </Button>
      <div role="status">{sending.data && words.testSent(sending.data.data.to)}</div>
      {sending.error && <Problem error={sending.error} />}
    </>
  )
}
