// The editor of code and its differences: a part of its own, loaded when a screen needs it first.
import { autocompletion, type Completion, type CompletionSource, completionKeymap } from '@codemirror/autocomplete'
import { defaultKeymap, history, historyKeymap } from '@codemirror/commands'
import { html } from '@codemirror/lang-html'
import { bracketMatching, defaultHighlightStyle, syntaxHighlighting } from '@codemirror/language'
import { unifiedMergeView } from '@codemirror/merge'
import { searchKeymap } from '@codemirror/search'
import { EditorState, type Extension } from '@codemirror/state'
import { EditorView, keymap, lineNumbers } from '@codemirror/view'
import { getNonce } from 'get-nonce'

/** A word that may stand between braces, and where its value comes from. */
export type MergeWord = Readonly<{ key: string; from: string }>

type Editing = Readonly<{
  value: string
  label: string
  onChange: (value: string) => void
  /** Asked each time, so that words which come later are offered too. */
  words: () => readonly MergeWord[]
}>

export type Editor = Readonly<{ show: (value: string) => void; destroy: () => void }>

const look = EditorView.theme({
  '&': { color: 'var(--text)', backgroundColor: 'var(--page)', fontSize: '13px' },
  '.cm-content': { fontFamily: 'var(--mono)', caretColor: 'var(--text)' },
  '.cm-cursor': { borderInlineStartColor: 'var(--text)' },
  '.cm-gutters': { color: 'var(--muted)', backgroundColor: 'var(--panel)', border: 'none' },
  '.cm-scroller': { overflow: 'auto' },
  '&.cm-focused': { outline: '2px solid var(--accent)' },
  '.cm-tooltip': { color: 'var(--text)', backgroundColor: 'var(--panel)', border: '1px solid var(--line)' },
  '.cm-tooltip-autocomplete ul li[aria-selected]': { color: 'var(--on-accent)', backgroundColor: 'var(--accent)' },
  '.cm-completionDetail': { color: 'inherit' },
  '.cm-deletedChunk, .cm-deletedLine': { backgroundColor: 'var(--bad-soft)' },
  '.cm-changedLine, .cm-insertedLine': { backgroundColor: 'var(--accent-soft)' },
  // Tokens keep the colour of the text: the palette of a light page has too little contrast on a dark one.
  '.cm-line span': { color: 'inherit' },
})

const base = (label: string): readonly Extension[] => [
  EditorView.cspNonce.of(getNonce() ?? ''),
  EditorView.lineWrapping,
  EditorView.contentAttributes.of({ 'aria-label': label, dir: 'ltr' }),
  lineNumbers(),
  html(),
  syntaxHighlighting(defaultHighlightStyle, { fallback: true }),
  look,
]

/** `{{na` offers the words that begin so, and writes the closing braces. */
const mergeWords =
  (words: Editing['words']): CompletionSource =>
  (context) => {
    const typed = context.matchBefore(/\{\{\s*[\p{L}\p{N}_.]*$/u)
    if (typed === null) return null
    const from = typed.from + (/^\{\{\s*/.exec(typed.text)?.[0].length ?? 0)
    const options = words().map(({ key, from: detail }): Completion => ({ label: key, detail, apply: `${key}}}`, type: 'variable' }))
    return { from, options, validFor: /^[\p{L}\p{N}_.]*$/u }
  }

/** Tab leaves the editor, as it leaves a field. */
export function createEditor(parent: HTMLElement, { value, label, onChange, words }: Editing): Editor {
  const view = new EditorView({
    parent,
    state: EditorState.create({
      doc: value,
      extensions: [
        base(label),
        history(),
        bracketMatching(),
        autocompletion({ override: [mergeWords(words)] }),
        keymap.of([...completionKeymap, ...defaultKeymap, ...historyKeymap, ...searchKeymap]),
        EditorView.updateListener.of((update) => {
          if (update.docChanged) onChange(update.state.doc.toString())
        }),
      ],
    }),
  })
  return {
    show: (next) => {
      if (next !== view.state.doc.toString()) view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: next } })
    },
    destroy: () => view.destroy(),
  }
}

type Compared = Readonly<{ before: string; after: string; label: string }>

/** What `after` has that `before` has not, line by line; nothing of it can be changed. */
export function showDifference(parent: HTMLElement, { before, after, label }: Compared): Editor {
  const view = new EditorView({
    parent,
    state: EditorState.create({
      doc: after,
      extensions: [
        base(label),
        EditorState.readOnly.of(true),
        unifiedMergeView({ original: before, mergeControls: false, highlightChanges: false, collapseUnchanged: { margin: 2, minSize: 6 } }),
      ],
    }),
  })
  return { show: () => undefined, destroy: () => view.destroy() }
}
