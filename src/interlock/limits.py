"""Every bound in one place. Work is bounded by the size of the input, never by the clock.

The one exception is the hook's deadline, which can only turn an answer into a deny.
"""

from __future__ import annotations

MAX_INPUT_BYTES = 8 * 1024 * 1024  # one event on stdin, one line of a stream
MAX_DEPTH = 100  # nested arrays and objects in a call
MAX_POLICY_BYTES = 4 * 1024 * 1024  # one policy file; ten thousand rules with their examples
MAX_PROJECT_POLICY_BYTES = 1024 * 1024  # that of a project, which anybody may have written
MAX_PROJECT_EXAMPLE_CHARS = 128 * 1024  # examples in it, which are read whenever it has changed
MAX_CONTRACTS_BYTES = 1024 * 1024  # one catalogue of contracts
MAX_NOTES = 20  # how many of the things that contracts prove are told of one call
MAX_BROKEN_CHARS = 300  # what is told of one thing that a contract proves
MAX_PLAN_BYTES = 1024 * 1024  # one plan
MAX_PLAN_LINES = 5000  # command lines in it
MAX_STATE_BYTES = 64 * 1024 * 1024  # one of our own files: cache, trust, posture
MAX_FACT_ROUNDS = 4  # read, gather what is missing, read again
MAX_SCRIPT_BYTES = 256 * 1024  # a script file whose text is read
MAX_PROGRAM_BYTES = 64 * 1024 * 1024  # a program without a text, whose digest a yes is bound to
MAX_KEY_HEAD_BYTES = 1024  # the beginning of a file, in which a private key would show
MAX_JUDGED_BYTES = 128 * 1024  # a file that may hold secrets and is looked through for them
MAX_SKILL_FILES = 32  # files that may be meant by one name of a skill or an agent
MAX_SKILL_FOLDERS = 4096  # folders that are looked through for one
MAX_PLACED = 20_000  # members of an archive or a copied folder whose names are looked at
MAX_ARCHIVES = 16  # archives that one pattern names
MAX_LANDINGS = 32  # of those, how many become actions of their own
MAX_LISTED = 256  # files below a folder that a search is held against, obeyed ones
MAX_UNPACKED_BYTES = 64 * 1024 * 1024  # of a packed archive, what is unpacked to see its names
MAX_ARCHIVE_BLOCKS = 200_000  # pieces of 512 bytes of an archive that are looked at
MAX_PLACED_BYTES = 256 * 1024  # a member that is compared with the file in whose place it comes
MAX_GIT_TREES = 2000  # folders of a commit that are looked at
MAX_GIT_OBJECT_BYTES = 4 * 1024 * 1024  # one object of git
MAX_GIT_PACKS = 256  # files in which one is looked for
MAX_GIT_COMPARED_FILES = 2000  # tracked files that are compared with what is committed
MAX_GIT_COMPARED_BYTES = 32 * 1024 * 1024  # and their size in all
MAX_GIT_WALK = 5000  # commits that are looked at to see whether a remote has them
MAX_GIT_INDEX_BYTES = 32 * 1024 * 1024  # the list of files that git tracks
MAX_NESTED_SESSIONS = 8  # sessions above a session whose restrictions count
MAX_SESSION_HOSTS = 512  # machines that one session is remembered to have talked to
MAX_SESSION_PATHS = 4096  # files of one session that are remembered by name
MAX_PATH_CHARS = 4096  # longer paths are opaque
MAX_ID_CHARS = 200  # of a host's names for sessions and attempts that are kept as they are
MAX_REASON_CHARS = 2000  # what one answer tells a host
MAX_KEPT_BYTES = 64 * 1024  # of all texts of a call that the ledger keeps; beyond it none is kept
MAX_ASKED_BYTES = 4 * 1024 * 1024  # of a call that a person is asked about; beyond it, it cannot be approved
MAX_KEPT_CHARS = 2000  # of one text of a call that the ledger keeps
SAFE_INTEGER = 2**53 - 1  # larger whole numbers are kept as tagged text
HOOK_DEADLINE_SECONDS = 5.0  # the hook answers deny by itself after this
HOST_TIMEOUT_SECONDS = 10  # what the host is told to wait; longer than our own deadline
MAX_WAIT_SECONDS = 540  # for which a call is held while a person answers elsewhere
LOCK_WAIT_SECONDS = 2.0  # the ledger's lock, while nobody gets on; then the fail-mode table decides
LOCK_QUEUE_SECONDS = 60.0  # the same in all, while others get on
MAX_READ_AGAIN = 64  # how often a call is read again because others of its session came in between
HOOK_QUEUE_SECONDS = 4.0  # and in a hook: less than its deadline, so that reads still pass
TEAM_REDEEM_SECONDS = 1.0  # how long a hook waits for other writers of the team store
TEAM_CHILD_SECONDS = 3.5  # all that one call may spend on asking the team store; less than the hook's deadline
TEAM_WORK_SECONDS = 60.0  # how long one statement may take there while rows are shipped and verified
TEAM_CONNECT_SECONDS = 2  # how long the team store's server may take to answer at first
MAX_RECENT = 16  # calls that the loop guard looks back on: five rounds of three, and one
MAX_FOLLOWED_ROWS = 512  # rows of a session among which the call is looked for whose outcome is told
MAX_WATCHED_FILES = 256  # files that hosts obey and that are compared at each event
MAX_WATCHED_DENIED = 1024  # the same of folders whose files are denied: these never give way to others
MAX_WATCHED_BYTES = 256 * 1024  # of one of them that are read to compare it; of a larger one, its beginning and size
MAX_SHOWN_CHARS = 4000  # of one of them that are kept, secrets left out, to show a difference
MAX_DIFFERENCE_CHARS = 600  # of one difference that a question shows
MAX_ACCEPTED = 64  # changes of such files that a session remembers as accepted
MAX_TRANSCRIPT_BYTES = 8 * 1024 * 1024  # of a host's transcript that one event looks through
MAX_TRANSCRIPTS = 64  # transcripts of sub-agents that a session remembers how far it has looked through
MAX_STEADY_CHARS = 64 * 1024  # what a failed call says, if its timings are to be left out of the comparison
MAX_PENDING = 16  # calls that a person was asked about
MAX_TOLD = 64  # notices of which a session remembers that they were shown
MAX_OPEN_QUESTIONS = 8  # of those, how many are looked for in the host's transcript
MAX_REFUSALS = 256  # what a person said no to in one session
MAX_COUNTED_NAMES = 128  # action names that are counted apart for budgets
MAX_GRANTS_OF_A_CALL = 256  # live grants of the ledger that one call looks at; of more, the newest
MAX_GRANT_KEYS = 4096  # under which grants for one call are looked up
