// A product of two matrices of 16 by 16 on the tensor cores, one warp: half precision from sm_70
// on, bfloat16 from sm_80 on (with -DBFLOAT16). Inputs are small whole numbers, so the result is
// exact. No headers: NVRTC compiles this as it is. tensor_half.ptx and tensor_bfloat16.ptx are made
// of it by tools/kernels.py.

typedef unsigned int u32;
typedef unsigned short u16;

#ifdef BFLOAT16
#define TENSOR_KERNEL tensor_bfloat16
#else
#define TENSOR_KERNEL tensor_half
#endif

// a is row by row, b column by column; both hold 16-bit floats. c is row by row.
extern "C" __global__ void TENSOR_KERNEL(const u16* a, const u16* b, float* c) {
  float d[8];
#ifdef BFLOAT16
  u32 x[4], y[4];
  asm volatile("wmma.load.a.sync.aligned.row.m16n16k16.global.bf16 {%0,%1,%2,%3}, [%4], 16;"
               : "=r"(x[0]), "=r"(x[1]), "=r"(x[2]), "=r"(x[3])
               : "l"(__cvta_generic_to_global(a)));
  asm volatile("wmma.load.b.sync.aligned.col.m16n16k16.global.bf16 {%0,%1,%2,%3}, [%4], 16;"
               : "=r"(y[0]), "=r"(y[1]), "=r"(y[2]), "=r"(y[3])
               : "l"(__cvta_generic_to_global(b)));
  asm volatile(
      "wmma.mma.sync.aligned.row.col.m16n16k16.f32.bf16.bf16.f32 {%0,%1,%2,%3,%4,%5,%6,%7}, "
      "{%8,%9,%10,%11}, {%12,%13,%14,%15}, {%16,%16,%16,%16,%16,%16,%16,%16};"
      : "=f"(d[0]), "=f"(d[1]), "=f"(d[2]), "=f"(d[3]), "=f"(d[4]), "=f"(d[5]), "=f"(d[6]),
        "=f"(d[7])
      : "r"(x[0]), "r"(x[1]), "r"(x[2]), "r"(x[3]), "r"(y[0]), "r"(y[1]), "r"(y[2]), "r"(y[3]),
        "f"(0.0f));
#else
  u32 x[8], y[8];
  asm volatile(
      "wmma.load.a.sync.aligned.row.m16n16k16.global.f16 {%0,%1,%2,%3,%4,%5,%6,%7}, [%8], 16;"
      : "=r"(x[0]), "=r"(x[1]), "=r"(x[2]), "=r"(x[3]), "=r"(x[4]), "=r"(x[5]), "=r"(x[6]),
        "=r"(x[7])
      : "l"(__cvta_generic_to_global(a)));
  asm volatile(
      "wmma.load.b.sync.aligned.col.m16n16k16.global.f16 {%0,%1,%2,%3,%4,%5,%6,%7}, [%8], 16;"
      : "=r"(y[0]), "=r"(y[1]), "=r"(y[2]), "=r"(y[3]), "=r"(y[4]), "=r"(y[5]), "=r"(y[6]),
        "=r"(y[7])
      : "l"(__cvta_generic_to_global(b)));
  asm volatile(
      "wmma.mma.sync.aligned.row.col.m16n16k16.f32.f32 {%0,%1,%2,%3,%4,%5,%6,%7}, "
      "{%8,%9,%10,%11,%12,%13,%14,%15}, {%16,%17,%18,%19,%20,%21,%22,%23}, "
      "{%24,%24,%24,%24,%24,%24,%24,%24};"
      : "=f"(d[0]), "=f"(d[1]), "=f"(d[2]), "=f"(d[3]), "=f"(d[4]), "=f"(d[5]), "=f"(d[6]),
        "=f"(d[7])
      : "r"(x[0]), "r"(x[1]), "r"(x[2]), "r"(x[3]), "r"(x[4]), "r"(x[5]), "r"(x[6]), "r"(x[7]),
        "r"(y[0]), "r"(y[1]), "r"(y[2]), "r"(y[3]), "r"(y[4]), "r"(y[5]), "r"(y[6]), "r"(y[7]),
        "f"(0.0f));
#endif
  asm volatile(
      "wmma.store.d.sync.aligned.row.m16n16k16.global.f32 [%0], {%1,%2,%3,%4,%5,%6,%7,%8}, 16;"
      :
      : "l"(__cvta_generic_to_global(c)), "f"(d[0]), "f"(d[1]), "f"(d[2]), "f"(d[3]), "f"(d[4]),
        "f"(d[5]), "f"(d[6]), "f"(d[7])
      : "memory");
}
