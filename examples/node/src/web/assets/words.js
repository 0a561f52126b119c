// What stable words mean, in a household's own. Programs match the words; people read these.

const OUTCOMES = {
  executed: ["Done", "good", "It ran to its end."],
  denied: ["You said no", "calm", "It was not run."],
  expired: ["Nobody answered in time", "calm", "It was not run."],
  void: ["Withdrawn", "calm", "The question was withdrawn; it was not run."],
  refused: ["Not allowed", "stop", "The node refused it; it was not run."],
  parse_failed: ["Not understood", "stop", "What the model asked for was malformed; nothing was run."],
  budget_exhausted: ["Limit reached", "stop", "It was one too many for this turn; it was not run."],
  not_attempted: ["Not started", "calm", "The turn ended before it could be run."],
  cancelled: ["Stopped", "calm", "It was stopped before anything was changed."],
  failed: ["Failed", "bad", "It could not do its work; nothing was changed."],
  unknown_effect: ["May have happened", "bad", "It was cut off. Check by hand before you try again."],
};

/** `{title, tone, meaning}` of an outcome. */
export function outcome(word) {
  const [title, tone, meaning] = OUTCOMES[word] ?? [word ?? "Open", "calm", ""];
  return { title, tone, meaning };
}

export const OUTCOME_WORDS = Object.keys(OUTCOMES);

/** Every place where a proposal can end, in the order it passes them. */
export const POINTS = [
  ["parse", "Read"],
  ["budget", "Room in the turn"],
  ["resolve", "Known here?"],
  ["validate", "Well formed?"],
  ["policy", "Allowed?"],
  ["confirm", "Asked you"],
  ["execute", "Run"],
  ["audit", "Written down"],
];

const CODES = {
  not_granted: "this kind of caller does not hold the category",
  not_enabled: "it is switched off on this device",
  unknown_capability: "nothing of that name is installed",
  invalid_arguments: "the values do not fit",
  caller_cannot_confirm: "a person would have to decide, and none can be asked there",
  already_denied: "you said no to the same thing before",
  cannot_be_shown: "it is too long to be shown whole",
  too_many_decisions: "too many questions are open",
  policy_unavailable: "grants or switches cannot be read, so nothing is allowed",
  capability_budget: "it was used as often as one turn allows",
  proposal_budget: "the model asked for too many things in one turn",
  round_budget: "the turn was at its end",
  time_budget: "the time for this turn was used up",
  timeout: "it took too long",
  withdrawn: "the session ended or the node stopped",
  restart: "the node stopped while it was open",
  turn_gone: "whoever waited for it went away",
};

export const code = (word) => CODES[word] ?? word;

const CATEGORIES = {
  apps: ["Apps", "Look at and use the applications installed on this node."],
  system: ["This machine", "Look at the machine itself: its health and its disks."],
  network: ["Home network", "Look at and use devices on your own network."],
  wallet: ["Money", "Look at and use wallets."],
  files: ["Files", "Look at and use the household's files."],
  media: ["Media", "Music, pictures and films."],
  search: ["Web", "Search and read the web. What is looked for leaves your home."],
  ai_local: ["Models at home", "Ask other models that run on this node."],
  notes: ["Notes", "Read and write notes."],
  bitcoin: ["Bitcoin", "Look at and use the Bitcoin node."],
};

export function category(word) {
  const [title, meaning] = CATEGORIES[word] ?? [word, "A category that a plugin brought along."];
  return { title, meaning };
}

const SCOPES = {
  operator: ["You, at this node", "People who log in here as operator."],
  local_operator: ["You, at this node", "People who log in here as operator."],
  mesh: ["Peers on the radio mesh", "Others who write over the mesh. They can never approve anything."],
};

export function scope(word) {
  const [title, meaning] = SCOPES[word] ?? [word, ""];
  return { title, meaning };
}

const EVENTS = {
  grant_added: "A grant was given",
  grant_removed: "A grant was taken back",
  policy_changed: "A switch was set",
  remote_inference_set: "The rule for models elsewhere was set",
  refusals_summarised: "Many refusals, counted together",
  login_failures_summarised: "Many failed logins, counted together",
  change_failed: "A change did not take effect",
  tail_quarantined: "A damaged end of the log was moved aside",
  remote_send: "Something was sent to a model elsewhere",
  voided: "Open questions were withdrawn",
  login: "Somebody logged in",
  login_failed: "A login failed",
  logout: "Somebody logged out",
};

export const event = (word) => EVENTS[word] ?? String(word).replaceAll("_", " ");

const MARKS = {
  awaiting_confirmation: "Waiting for a decision",
  begin: "About to run",
  late_completion: "Came back late",
  end: "Ended",
};

export const mark = (word) => MARKS[word] ?? word;

export const sideEffect = (word) => (word === "mutating" ? "changes something" : "only looks");
export const network = (word) => (word === "external" ? "leaves this device" : "stays on this device");

const ERRORS = {
  no_backend: "No model could answer.",
  out_of_time: "The time for this turn is used up.",
  out_of_rounds: "The limits of this turn are used up and no answer came.",
  audit_unavailable: "What happened could not be written down, so nothing more was run.",
  too_long: "The message is too long for the model.",
};

export const turnError = (word) => ERRORS[word] ?? `The turn ended without an answer (${word}).`;

/** `1 question`, `2 questions` */
export const many = (n, one, more = `${one}s`) => `${n} ${n === 1 ? one : more}`;

/** The same for the ends of an axis. */
export function briefly(time) {
  return new Date(time).toLocaleString(undefined, { month: "short", day: "numeric", hour: "numeric", minute: "2-digit" });
}

/** A time of the log in this browser's own way. */
export function when(text) {
  const at = new Date(text);
  if (Number.isNaN(at.getTime())) return String(text);
  return at.toLocaleString(undefined, { dateStyle: "medium", timeStyle: "medium" });
}
