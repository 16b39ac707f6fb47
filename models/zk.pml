/* ZooKeeper: the nodes of one lock, in the order in which they were made.  Every change at the servers has a zxid of
 * its own; a node remembers that of its making.  A grant is the moment in which a client sees that its node is the
 * first.  Its tokens are zxid * SCALE .. zxid * SCALE + B - 1, handed out one after the other to turns of its process,
 * without a request.  Somebody may end the first node by force; what he learns, zxid * SCALE + SCALE - 1, raises a guard.
 * EARLY=1: a session may end while its client still believes; EARLY=0: only afterwards.
 * LOST=1: the answer to a create may be lost.  The client then looks for its node (FIND=1) or makes another (FIND=0).
 * A client that waited lists the line, and when it is the first lists it AGAIN=1; AGAIN=0: it takes the older list for
 * a grant.  The list that grants and the grant are one step: the watch reports a later deletion, and so ends the grant.
 * Wrong variants: SCALE=1 tokens of a block run into those of later grants.   B=SCALE none is left for who forces.
 *                 AGAIN=0 grants what was ended by force, with a token below the fence.
 *                 FIND=0 leaves a node that nobody owns, and everybody behind it waits while the session lasts.
 * CHK_TOK  tokens are unique, that of the guard too, and the first of a grant is above all before it
 * CHK_ME  one believes at a time          CHK_ORPHAN  no node is left in the end
 */
#ifndef NC
#define NC 2
#endif
#ifndef ROUNDS
#define ROUNDS 2
#endif
#ifndef SCALE
#define SCALE 4
#endif
#ifndef B
#define B 3
#endif
#ifndef EARLY
#define EARLY 1
#endif
#ifndef LOST
#define LOST 1
#endif
#ifndef FIND
#define FIND 1
#endif
#ifndef AGAIN
#define AGAIN 1
#endif
#ifndef ENDS
#define ENDS 1                /* sessions that end */
#endif
#ifndef FORCES
#define FORCES 1
#endif
#define MAXN 6
#define MAXT 96

byte zxid = 1;
byte owner[MAXN], made[MAXN]; /* the line: client + 1, zxid of the making */
byte n = 0;
bool used[MAXT];
byte highest = 0;             /* of all that were used */
byte guard = 0;
bool believes[NC];
#define AT(i, z) (n > i && made[i] == z)
#define PRESENT(z) (AT(0, z) || AT(1, z) || AT(2, z) || AT(3, z) || AT(4, z) || AT(5, z))
byte ended = 0;

inline drop(i) {              /* the node at place i is deleted */
   j = i;
   do
   :: j + 1 < n -> owner[j] = owner[j + 1]; made[j] = made[j + 1]; j++
   :: else -> break
   od;
   n--; owner[n] = 0; made[n] = 0; j = 0; zxid++
}

inline make(c) {
   zxid++; owner[n] = c + 1; made[n] = zxid; n++
}

inline find(c, z) {           /* i: the place of the node of c that was made at z; n if there is none */
   i = 0;
   do
   :: i < n && !(owner[i] == c + 1 && (z == 0 || made[i] == z)) -> i++
   :: else -> break
   od
}

inline use(t) {
#ifdef CHK_TOK
   assert(!used[t]);
#endif
   used[t] = true;
   if :: t > highest -> highest = t :: else fi
}

proctype Client(byte c) {
   byte round = 0, z = 0, turn = 0, i = 0, j = 0;
   bool granted = false, first = false;
   do
   :: round < ROUNDS ->
      skip;
      d_step {
         make(c); z = zxid; granted = false; turn = 0; i = 0
      };
      if
      :: LOST == 1 ->
         if
         :: FIND == 1 -> d_step { find(c, 0); if :: i < n -> z = made[i] :: else -> z = 0 fi; i = 0 }
         :: FIND == 0 && n < MAXN - 1 -> d_step { make(c); z = zxid }
         :: FIND == 0 && n >= MAXN - 1 -> skip
         fi
      :: true
      fi;
      /* waits until it is the first, or its node is gone */
      atomic {
         (n > 0 && made[0] == z) || !PRESENT(z);
         first = n > 0 && made[0] == z
      };
      atomic {
         if
         :: first && (AGAIN == 0 || (n > 0 && made[0] == z)) ->
            d_step {
               granted = true; believes[c] = true;
#ifdef CHK_TOK
               assert(z * SCALE > highest);
#endif
               use(z * SCALE); turn = 1
            }
         :: else -> skip
         fi
      };
      do                      /* turns of this process */
      :: granted && turn < B && believes[c] ->
         d_step {
            use(z * SCALE + turn); turn++
         }
      :: break
      od;
      skip;
      d_step {
         believes[c] = false;
         find(c, z);
         if :: z > 0 && i < n -> drop(i) :: else fi;
         i = 0
      };
      round++
   :: else -> break
   od;
   ended++
}

/* Sessions end, and an operator takes the lock away. */
proctype World() {
   byte ends = 0, forces = 0, i = 0, j = 0;
   do
   :: d_step {
         ends < ENDS && n > 0 ->
         if
         :: EARLY == 0 -> believes[owner[0] - 1] = false
         :: else
         fi;
         drop(0); ends++
      }
   :: d_step {
         forces < FORCES && n > 0 ->
         if
         :: made[0] * SCALE + SCALE - 1 > guard -> guard = made[0] * SCALE + SCALE - 1
         :: else
         fi;
#ifdef CHK_TOK
         use(guard);          /* nobody has it, and nobody will */
#endif
         if
         :: EARLY == 0 -> believes[owner[0] - 1] = false
         :: else
         fi;
         drop(0); forces++
      }
   :: break
   od
}

#ifdef CHK_ME
proctype Watch() {
   assert(!(believes[0] && believes[1]))
}
#endif

init {
   atomic {
      run Client(0);
      run Client(1);
      run World();
#ifdef CHK_ME
      run Watch();
#endif
   };
#ifdef CHK_ORPHAN
   if
   :: ended == NC -> assert(n == 0)
   :: timeout -> assert(false) /* somebody waits for ever */
   fi
#endif
}
